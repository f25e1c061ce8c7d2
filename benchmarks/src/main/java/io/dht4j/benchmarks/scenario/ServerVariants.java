package io.dht4j.benchmarks.scenario;

import io.dht4j.server.config.Setting;

/** Common operations on variants. */
final class ServerVariants {

    private static final String GRPC = "grpc-";

    private ServerVariants() {}

    /**
     * Returns the same nodes over a transport.
     *
     * @param client an HTTP client by the server's name, or {@code grpc-} and a mode
     */
    static ServerVariant over(ServerVariant variant, String client) {
        return client.startsWith(GRPC)
                ? variant.with(Setting.TRANSPORT, "grpc").with(Setting.GRPC_MODE, client.substring(GRPC.length()))
                : variant.with(Setting.TRANSPORT, "http").with(Setting.HTTP_CLIENT, client);
    }

    /** Returns a copy with a number of connections to each peer, if the transport has several. */
    static ServerVariant over(ServerVariant variant, String client, String connections) {
        ServerVariant over = over(variant, client);
        return client.startsWith(GRPC) ? over : over.with(Setting.PEER_CONNECTIONS, connections);
    }
}
