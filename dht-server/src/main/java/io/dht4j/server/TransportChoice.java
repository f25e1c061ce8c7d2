package io.dht4j.server;

import io.dht4j.transport.grpc.GrpcMode;
import io.dht4j.transport.http.HttpClientKind;
import java.util.OptionalInt;

/** The transport between the nodes. */
public sealed interface TransportChoice {

    /** The most connections to each other node. */
    int MOST_CONNECTIONS = 10_000;

    /** The most connections of the JDK's client with HTTP/2. */
    int MOST_JDK_H2_CONNECTIONS = 16;

    /** Protocols between the nodes, the same on every node. */
    enum Protocol {
        /** HTTP. */
        HTTP,
        /** gRPC. */
        GRPC
    }

    /**
     * Transport over HTTP.
     *
     * @param client what sends the calls to the other nodes; those may have others
     * @param connections how many to each other node; what suits the client if it is not set
     */
    record Http(HttpClientKind client, OptionalInt connections) implements TransportChoice {}

    /**
     * Transport over gRPC.
     *
     * @param mode how calls travel; those of the other nodes may travel otherwise
     */
    record Grpc(GrpcMode mode) implements TransportChoice {}

    /** Reads the protocol and its settings. */
    static TransportChoice of(SettingsReader given) throws ConfigException {
        Protocol protocol = given.choice(Setting.TRANSPORT, Protocol.class);
        String reason = "with " + Setting.TRANSPORT.option() + " " + SettingsReader.nameOf(protocol);
        return switch (protocol) {
            case HTTP -> {
                given.refuse(Setting.GRPC_MODE, reason);
                yield http(given);
            }
            case GRPC -> {
                given.refuse(Setting.HTTP_CLIENT, reason);
                given.refuse(Setting.PEER_CONNECTIONS, reason);
                yield new Grpc(given.choice(Setting.GRPC_MODE, GrpcMode.class));
            }
        };
    }

    private static Http http(SettingsReader given) throws ConfigException {
        HttpClientKind client = given.choice(Setting.HTTP_CLIENT, HttpClientKind.class);
        if (!given.has(Setting.PEER_CONNECTIONS)) {
            return new Http(client, OptionalInt.empty());
        }
        int most = client == HttpClientKind.JDK_H2 ? MOST_JDK_H2_CONNECTIONS : MOST_CONNECTIONS;
        return new Http(client, OptionalInt.of(given.number(Setting.PEER_CONNECTIONS, 1, most)));
    }
}
