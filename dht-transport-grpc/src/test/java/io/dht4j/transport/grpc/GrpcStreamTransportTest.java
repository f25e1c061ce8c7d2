package io.dht4j.transport.grpc;

class GrpcStreamTransportTest extends GrpcTransportContract {

    GrpcStreamTransportTest() {
        super(GrpcMode.STREAM);
    }
}
