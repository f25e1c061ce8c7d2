package io.dht4j.transport.grpc;

import org.junit.jupiter.api.Tag;

@Tag("variant")
@Tag("full")
class GrpcUnaryTransportTest extends GrpcTransportContract {

    GrpcUnaryTransportTest() {
        super(GrpcMode.UNARY);
    }
}
