package io.dht4j.transport.grpc.api;

import io.dht4j.Cluster;
import io.dht4j.simulator.contract.SocketRemoteApiContract;
import io.dht4j.spi.RemoteApi;
import io.dht4j.testkit.network.FreePorts;
import java.time.Duration;

/** The gRPC client keeps the contract of remote APIs. */
class GrpcRemoteTest extends SocketRemoteApiContract {

    @Override
    protected Server serve(Cluster cluster) {
        GrpcApi api = GrpcApi.listening(
                "127.0.0.1",
                FreePorts.find(),
                cluster,
                GrpcApiOptions.defaults().withDrainTimeout(Duration.ZERO));
        return new Server() {
            @Override
            public String address() {
                return "127.0.0.1:" + api.port();
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
        return GrpcRemote.create(GrpcRemoteOptions.defaults());
    }
}
