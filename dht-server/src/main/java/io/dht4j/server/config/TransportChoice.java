package io.dht4j.server.config;

import io.dht4j.transport.grpc.GrpcMode;
import io.dht4j.transport.http.HttpClientKind;
import io.dht4j.transport.http.clients.HttpClients;
import java.util.OptionalInt;

/** The transport between the nodes. */
public sealed interface TransportChoice {

    /** The most connections of the JDK's client with HTTP/2. */
    int MOST_JDK_H2_CONNECTIONS = 16;

    /** The most connections directly over TCP. */
    int MOST_TCP_CONNECTIONS = 256;

    /** HTTP clients that can carry calls to the other nodes. */
    enum Client {
        /** Vert.x's, HTTP/1.1. */
        VERTX,
        /** Vert.x's, HTTP/1.1 with pipelining. */
        VERTX_PIPELINED,
        /** Vert.x's, HTTP/2. */
        VERTX_H2,
        /** Vert.x's {@code WebClient}. */
        WEBCLIENT,
        /** {@code java.net.http}, HTTP/1.1. */
        JDK,
        /** {@code java.net.http}, HTTP/2. */
        JDK_H2,
        /** one-nio's. */
        ONE_NIO;

        /** Returns the transport's name for it. */
        public HttpClientKind kind() {
            return switch (this) {
                case VERTX -> HttpClientKind.VERTX;
                case VERTX_PIPELINED -> HttpClientKind.VERTX_PIPELINED;
                case VERTX_H2 -> HttpClientKind.VERTX_H2;
                case WEBCLIENT -> HttpClients.WEBCLIENT;
                case JDK -> HttpClients.JDK;
                case JDK_H2 -> HttpClients.JDK_H2;
                case ONE_NIO -> HttpClients.ONE_NIO;
            };
        }
    }

    /** Protocols between the nodes, the same on every node. */
    enum Protocol {
        /** HTTP. */
        HTTP,
        /** gRPC. */
        GRPC,
        /** Records directly over TCP. */
        TCP
    }

    /**
     * Transport over HTTP.
     *
     * @param client the HTTP client for the calls to the other nodes; those may have others
     * @param connections how many to each other node; the client's default if it is not set
     */
    record Http(Client client, OptionalInt connections) implements TransportChoice {}

    /**
     * Transport over gRPC.
     *
     * @param mode how calls travel; those of the other nodes may travel otherwise
     */
    record Grpc(GrpcMode mode) implements TransportChoice {}

    /**
     * Transport directly over TCP.
     *
     * @param connections how many to each other node; one if it is not set
     */
    record Tcp(OptionalInt connections) implements TransportChoice {}

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
            case TCP -> {
                given.refuse(Setting.HTTP_CLIENT, reason);
                given.refuse(Setting.GRPC_MODE, reason);
                yield new Tcp(connections(given, MOST_TCP_CONNECTIONS));
            }
        };
    }

    private static Http http(SettingsReader given) throws ConfigException {
        Client client = given.choice(Setting.HTTP_CLIENT, Client.class);
        return new Http(
                client, connections(given, client == Client.JDK_H2 ? MOST_JDK_H2_CONNECTIONS : Integer.MAX_VALUE));
    }

    private static OptionalInt connections(SettingsReader given, int most) throws ConfigException {
        return given.has(Setting.PEER_CONNECTIONS)
                ? OptionalInt.of(given.number(
                        Setting.PEER_CONNECTIONS,
                        Setting.PEER_CONNECTIONS.range().orElseThrow().upTo(most)))
                : OptionalInt.empty();
    }
}
