package io.dht4j.transport.grpc;

import org.junit.jupiter.api.Tag;

@Tag("variant")
@Tag("full")
class GrpcStreamTransportTlsTest extends GrpcSecureTransportContract {

    GrpcStreamTransportTlsTest() {
        super(GrpcMode.STREAM);
    }
}
