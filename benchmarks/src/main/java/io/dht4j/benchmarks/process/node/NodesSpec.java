package io.dht4j.benchmarks.process.node;

import io.dht4j.benchmarks.process.JvmFlags;
import io.dht4j.server.config.Setting;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Nodes of one cluster, each in a process of its own.
 *
 * @param count number of nodes; 1 to 64
 * @param settings of every node, except name, ports, peers and directory
 * @param heapMegabytes size of each node's heap; 32 to 1,000,000
 * @param jvmFlags further flags for every JVM
 * @param directory of data and logs, with a part for each node; it exists
 * @param grpcApi whether each node also has the public gRPC API
 * @param agreed whether the nodes may change: they form the cluster instead of being its fixed nodes
 */
public record NodesSpec(
        int count,
        Map<Setting, String> settings,
        int heapMegabytes,
        List<String> jvmFlags,
        Path directory,
        boolean grpcApi,
        boolean agreed) {

    private static final int MOST = 64;
    private static final Set<Setting> OWN = Set.of(
            Setting.ID,
            Setting.LISTEN,
            Setting.PEERS,
            Setting.BOOTSTRAP,
            Setting.JOIN,
            Setting.PEER_ADDRESS,
            Setting.DATA,
            Setting.GRPC_LISTEN);

    /** Validates, and keeps unmodifiable copies. */
    public NodesSpec {
        settings = Map.copyOf(settings);
        jvmFlags = List.copyOf(jvmFlags);
        if (count < 1 || count > MOST) {
            throw new IllegalArgumentException("number of nodes: " + count + " is not 1 to " + MOST);
        }
        JvmFlags.checkHeap(heapMegabytes);
        for (Setting own : OWN) {
            if (settings.containsKey(own)) {
                throw new IllegalArgumentException(
                        "settings of all nodes: " + own.propertyName() + " is each node's own");
            }
        }
    }

    /**
     * Describes the fixed nodes of a cluster with a heap of 512 MB, no further flags, and the public HTTP API only.
     *
     * @param count number of nodes
     * @param directory of data and logs
     * @param settings of every node
     */
    public static NodesSpec of(int count, Path directory, Map<Setting, String> settings) {
        return new NodesSpec(count, settings, 512, List.of(), directory, false, false);
    }

    /**
     * Returns a copy with more settings.
     *
     * @param setting the setting
     * @param value its value
     */
    public NodesSpec with(Setting setting, String value) {
        Map<Setting, String> more = new EnumMap<>(Setting.class);
        more.putAll(settings);
        more.put(setting, value);
        return new NodesSpec(count, more, heapMegabytes, jvmFlags, directory, grpcApi, agreed);
    }

    /**
     * Returns a copy with another heap and other flags.
     *
     * @param megabytes size of each node's heap
     * @param flags further flags for every JVM
     */
    public NodesSpec withJvm(int megabytes, List<String> flags) {
        return new NodesSpec(count, settings, megabytes, flags, directory, grpcApi, agreed);
    }

    /** Returns a copy with the public gRPC API in addition to the HTTP API. */
    public NodesSpec withGrpcApi() {
        return new NodesSpec(count, settings, heapMegabytes, jvmFlags, directory, true, agreed);
    }

    /** Returns a copy whose nodes form a cluster that further nodes may join. */
    public NodesSpec whoseNodesMayChange() {
        return new NodesSpec(count, settings, heapMegabytes, jvmFlags, directory, grpcApi, true);
    }
}
