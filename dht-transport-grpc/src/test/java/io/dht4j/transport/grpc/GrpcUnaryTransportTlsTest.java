package io.dht4j.transport.grpc;

import org.junit.jupiter.api.Tag;

@Tag("variant")
@Tag("full")
class GrpcUnaryTransportTlsTest extends GrpcSecureTransportContract {

    GrpcUnaryTransportTlsTest() {
        super(GrpcMode.UNARY);
    }
}
