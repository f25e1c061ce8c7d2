package io.dht4j.examples.server;

import io.dht4j.transport.grpc.GrpcMode;
import io.dht4j.transport.http.HttpClientKind;

/** How the nodes talk to each other. */
public sealed interface TransportChoice {

    /** Protocols between the nodes, the same on every node. */
    enum Protocol {
        /** HTTP. */
        HTTP,
        /** gRPC. */
        GRPC
    }

    /**
     * Over HTTP.
     *
     * @param client what sends the calls to the other nodes; those may have others
     */
    record Http(HttpClientKind client) implements TransportChoice {}

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
                yield new Http(given.choice(Setting.HTTP_CLIENT, HttpClientKind.class));
            }
            case GRPC -> {
                given.refuse(Setting.HTTP_CLIENT, reason);
                yield new Grpc(given.choice(Setting.GRPC_MODE, GrpcMode.class));
            }
        };
    }
}
