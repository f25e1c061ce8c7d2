package io.dht4j.transport.grpc;

import io.dht4j.Node;
import io.dht4j.simulator.contract.ClusterOverTransportContract;
import io.dht4j.spi.Transport;
import java.time.Duration;
import org.junit.jupiter.api.Nested;

/** A cluster over gRPC, in either mode. */
class ClusterOverGrpcTest {

    private abstract static class OverGrpc extends ClusterOverTransportContract {

        private final GrpcMode mode;

        OverGrpc(GrpcMode mode) {
            this.mode = mode;
        }

        private GrpcTransportOptions options(Node self) {
            int port = Integer.parseInt(self.address().substring(self.address().lastIndexOf(':') + 1));
            return GrpcTransportOptions.at("127.0.0.1", port).withMode(mode).withDrainTimeout(Duration.ofMillis(100));
        }

        @Override
        public Transport newTransport(Node self) {
            return GrpcTransport.create(options(self));
        }

        @Override
        public Transport newNarrowTransport(Node self) {
            return GrpcTransport.create(options(self).withMaxFrameBytes(5 << 20).withMaxInFlightBytes(5 << 20));
        }
    }

    @Nested
    class Unary extends OverGrpc {
        Unary() {
            super(GrpcMode.UNARY);
        }
    }

    @Nested
    class Stream extends OverGrpc {
        Stream() {
            super(GrpcMode.STREAM);
        }
    }
}
