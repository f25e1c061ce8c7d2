package io.dht4j.transport.http.internal.remote;

import io.dht4j.Cluster;
import io.dht4j.simulator.contract.SocketRemoteApiContract;
import io.dht4j.spi.RemoteApi;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.HttpRemote;
import io.dht4j.transport.http.HttpRemoteOptions;
import java.time.Duration;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class HttpRemoteTest extends SocketRemoteApiContract {

    @Override
    protected Server serve(Cluster cluster) {
        HttpApi api = HttpApi.listening(
                "127.0.0.1",
                FreePorts.find(),
                cluster,
                HttpApiOptions.defaults().withDrainTimeout(Duration.ZERO));
        String address = "127.0.0.1:" + api.port();
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
