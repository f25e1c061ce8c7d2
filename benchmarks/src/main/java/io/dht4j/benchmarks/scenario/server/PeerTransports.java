package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.transports.BuiltInTransport;
import io.dht4j.server.config.Setting;
import java.util.List;
import java.util.Map;

/**
 * The transports between standalone servers, by name: an HTTP client as the server names it, {@code grpc-} and a mode,
 * or {@code tcp}.
 */
public final class PeerTransports {

    /** All names, which are those of the transports that are measured beside their bare libraries. */
    public static final List<String> ALL = BuiltInTransport.names();

    private static final List<String> TYPICAL = List.of("vertx", "one-nio", "grpc-unary", "grpc-stream", "tcp");
    private static final String BETWEEN_NODES = "between-nodes";
    private static final String GRPC = "grpc-";
    private static final String TCP = "tcp";

    private PeerTransports() {}

    /**
     * Returns the parameter of scenarios that compare something else over one transport.
     *
     * @return one of some typical transports
     */
    public static Parameter parameter() {
        return new Parameter(
                BETWEEN_NODES, "the transport, one of: " + String.join(", ", TYPICAL), "vertx", "grpc-stream");
    }

    /**
     * Reads the {@linkplain #parameter() parameter}.
     *
     * @param settings of the run
     * @return the name of a transport
     * @throws IllegalArgumentException if it is unknown
     */
    public static String of(Settings settings) {
        return settings.one(BETWEEN_NODES, TYPICAL);
    }

    /** Returns the settings of a server with a transport. */
    static Map<Setting, String> settings(String name) {
        if (name.equals(TCP)) {
            return Map.of(Setting.TRANSPORT, TCP);
        }
        return isGrpc(name)
                ? Map.of(Setting.TRANSPORT, "grpc", Setting.GRPC_MODE, name.substring(GRPC.length()))
                : Map.of(Setting.TRANSPORT, "http", Setting.HTTP_CLIENT, name);
    }

    /** Returns the settings of a server with a transport and a number of connections, if the transport has several. */
    static Map<Setting, String> settings(String name, String connections) {
        return isGrpc(name) || name.equals(TCP)
                ? settings(name)
                : Map.of(Setting.TRANSPORT, "http", Setting.HTTP_CLIENT, name, Setting.PEER_CONNECTIONS, connections);
    }

    private static boolean isGrpc(String name) {
        return name.startsWith(GRPC);
    }
}
