package io.dht4j.transport.grpc;

class GrpcStreamTransportTlsTest extends GrpcSecureTransportContract {

    GrpcStreamTransportTlsTest() {
        super(GrpcMode.STREAM);
    }
}
