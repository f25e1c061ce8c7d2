package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.scenario.CandidateParameters;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.transports.BuiltInTransport;
import io.dht4j.server.config.Setting;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The transports between standalone servers, by name: an HTTP client as the server names it, {@code grpc-} and a mode,
 * or {@code tcp}.
 */
public final class PeerTransports {

    /** All names, which are those of the transports that are measured beside their bare libraries. */
    public static final List<String> ALL = BuiltInTransport.names();

    /** The parameter of scenarios that compare other variants over one transport. */
    public static final String BETWEEN_NODES = "between-nodes";

    private static final String GRPC = "grpc-";
    private static final String TCP = "tcp";

    private PeerTransports() {}

    /**
     * Returns the parameter of scenarios that compare other variants over one transport.
     *
     * @param quick the value of the short form
     * @param full the value of the full form
     */
    public static Parameter parameter(String quick, String full) {
        return new Parameter(
                BETWEEN_NODES,
                "the transport, one of: " + String.join(", ", ALL)
                        + "; or a class of your own that implements io.dht4j.lab.TransportCandidate",
                quick,
                full);
    }

    /**
     * Reads the {@linkplain #parameter parameter}, and loads a class once to check it.
     *
     * @param settings of the run
     * @return the name of a transport, or of a class
     * @throws IllegalArgumentException if it is neither, or the class is unfit
     */
    public static String of(Settings settings) {
        String name = settings.text(BETWEEN_NODES).strip();
        if (!ALL.contains(name)) {
            CandidateParameters.checkTransport(settings, BETWEEN_NODES, name, ALL);
        }
        return name;
    }

    /**
     * Reads a parameter that lists transports, and the classes of the user's own.
     *
     * @return the transport, or the class, of each variant by its name
     * @throws IllegalArgumentException if one is unknown, or a class is unfit
     */
    public static Map<String, String> chosen(Settings settings, String parameter) {
        Map<String, String> chosen = new LinkedHashMap<>();
        settings.names(parameter, ALL).forEach(name -> chosen.put(name, name));
        chosen.putAll(CandidateParameters.transportClasses(settings, ALL));
        return chosen;
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
