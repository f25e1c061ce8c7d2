package io.dht4j.transport.http.internal.remote;

import io.dht4j.Cluster;
import io.dht4j.simulator.contract.SocketRemoteApiContract;
import io.dht4j.spi.RemoteApi;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.HttpRemote;
import io.dht4j.transport.http.HttpRemoteOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class HttpRemoteTest extends SocketRemoteApiContract {

    private int served;

    private static boolean hasVersion6() {
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getByName("::1"))) {
            return any.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    /** The second node listens at an address of version 6, where this machine has one. */
    @Override
    protected Server serve(Cluster cluster) {
        boolean isVersion6 = ++served == 2 && hasVersion6();
        HttpApi api = HttpApi.listening(
                isVersion6 ? "::1" : "127.0.0.1",
                FreePorts.find(),
                cluster,
                HttpApiOptions.defaults().withDrainTimeout(Duration.ZERO));
        String address = (isVersion6 ? "[::1]:" : "127.0.0.1:") + api.port();
        return new Server() {

            @Override
            public String address() {
                return address;
            }

            @Override
            public void announceStop() {
                api.announceStop();
            }

            @Override
            public void close() {
                api.close();
            }
        };
    }

    @Override
    public RemoteApi newApi() {
        return HttpRemote.create(HttpRemoteOptions.defaults());
    }
}
