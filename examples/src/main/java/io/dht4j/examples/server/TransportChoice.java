package io.dht4j.examples.server;

import io.dht4j.transport.grpc.GrpcMode;

/** How the nodes talk to each other. */
public sealed interface TransportChoice {

    /** Protocols between the nodes, the same on every node. */
    enum Protocol {
        /** HTTP. */
        HTTP,
        /** gRPC. */
        GRPC
    }

    /** Over HTTP. */
    record Http() implements TransportChoice {}

    /**
     * Over gRPC.
     *
     * @param mode how calls travel; those of the other nodes may travel otherwise
     */
    record Grpc(GrpcMode mode) implements TransportChoice {}

    /** Reads the protocol and what belongs to it. */
    static TransportChoice of(Given given) throws ConfigException {
        Protocol protocol = given.choice(Setting.TRANSPORT, Protocol.class);
        String reason = "with " + Setting.TRANSPORT.option() + " " + Given.nameOf(protocol);
        return switch (protocol) {
            case HTTP -> {
                given.refuse(Setting.GRPC_MODE, reason);
                yield new Http();
            }
            case GRPC -> {
                yield new Grpc(given.choice(Setting.GRPC_MODE, GrpcMode.class));
            }
        };
    }
}
