package io.dht4j.benchmarks.process;

import io.dht4j.server.Setting;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Nodes of one cluster, each in a process of its own.
 *
 * @param count how many; 1 to 64
 * @param settings what every node is given besides its name, ports, peers and directory, which must not be among them
 * @param heapMegabytes size of each node's heap; 32 to 1,000,000
 * @param jvmFlags further flags for every JVM
 * @param directory where data and logs go, each node its own part; it exists
 * @param grpcApi whether each node also has the public gRPC API
 */
public record NodesSpec(
        int count,
        Map<Setting, String> settings,
        int heapMegabytes,
        List<String> jvmFlags,
        Path directory,
        boolean grpcApi) {

    private static final int MOST = 64;
    private static final Set<Setting> OWN =
            Set.of(Setting.ID, Setting.LISTEN, Setting.PEERS, Setting.DATA, Setting.GRPC_LISTEN);

    /** Checks, and keeps unmodifiable copies. */
    public NodesSpec {
        settings = Map.copyOf(settings);
        jvmFlags = List.copyOf(jvmFlags);
        if (count < 1 || count > MOST) {
            throw new IllegalArgumentException("number of nodes: " + count + " is not 1 to " + MOST);
        }
        Heap.check(heapMegabytes);
        for (Setting own : OWN) {
            if (settings.containsKey(own)) {
                throw new IllegalArgumentException(
                        "settings of all nodes: " + own.propertyName() + " is each node's own");
            }
        }
    }

    /**
     * Nodes with a heap of 512 MB and no further flags, with the public HTTP API only.
     *
     * @param count how many
     * @param directory where data and logs go
     * @param settings what every node is given besides its own
     */
    public static NodesSpec of(int count, Path directory, Map<Setting, String> settings) {
        return new NodesSpec(count, settings, 512, List.of(), directory, false);
    }

    /**
     * The same nodes with more settings.
     *
     * @param setting what to set
     * @param value to what
     */
    public NodesSpec with(Setting setting, String value) {
        Map<Setting, String> more = new EnumMap<>(Setting.class);
        more.putAll(settings);
        more.put(setting, value);
        return new NodesSpec(count, more, heapMegabytes, jvmFlags, directory, grpcApi);
    }

    /**
     * The same nodes with another heap and other flags.
     *
     * @param megabytes size of each node's heap
     * @param flags further flags for every JVM
     */
    public NodesSpec withJvm(int megabytes, List<String> flags) {
        return new NodesSpec(count, settings, megabytes, flags, directory, grpcApi);
    }

    /** The same nodes with the public gRPC API besides the HTTP one. */
    public NodesSpec withGrpcApi() {
        return new NodesSpec(count, settings, heapMegabytes, jvmFlags, directory, true);
    }
}
