package io.dht4j.transport.grpc;

class GrpcUnaryTransportTlsTest extends GrpcSecureTransportContract {

    GrpcUnaryTransportTlsTest() {
        super(GrpcMode.UNARY);
    }
}
