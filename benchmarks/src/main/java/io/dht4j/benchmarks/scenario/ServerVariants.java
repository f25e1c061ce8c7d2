package io.dht4j.benchmarks.scenario;

import io.dht4j.server.Setting;

/** What several scenarios do with their variants. */
final class ServerVariants {

    private static final String GRPC = "grpc-";

    private ServerVariants() {}

    /**
     * The same nodes over a transport.
     *
     * @param client an HTTP client as the server names it, or {@code grpc-} and a mode
     */
    static ServerVariant over(ServerVariant variant, String client) {
        return client.startsWith(GRPC)
                ? variant.with(Setting.TRANSPORT, "grpc").with(Setting.GRPC_MODE, client.substring(GRPC.length()))
                : variant.with(Setting.TRANSPORT, "http").with(Setting.HTTP_CLIENT, client);
    }

    /** The same with so many connections to each peer, where there are several. */
    static ServerVariant over(ServerVariant variant, String client, String connections) {
        ServerVariant over = over(variant, client);
        return client.startsWith(GRPC) ? over : over.with(Setting.PEER_CONNECTIONS, connections);
    }
}
