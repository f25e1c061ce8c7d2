package io.dht4j.transport.grpc;

class GrpcUnaryTransportTest extends GrpcTransportContract {

    GrpcUnaryTransportTest() {
        super(GrpcMode.UNARY);
    }
}
