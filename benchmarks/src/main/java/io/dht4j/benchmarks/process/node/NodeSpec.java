package io.dht4j.benchmarks.process.node;

import io.dht4j.benchmarks.process.JvmFlags;
import io.dht4j.server.config.Setting;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A node in a process of its own: the standalone server.
 *
 * @param settings of the server, with {@link Setting#ID}, {@link Setting#LISTEN}, and the nodes of its cluster:
 *     {@link Setting#PEERS}, {@link Setting#BOOTSTRAP} or {@link Setting#JOIN}
 * @param heapMegabytes size of the heap, from the beginning; 32 to 1,000,000
 * @param jvmFlags further flags for its JVM
 * @param log a file to which its log is appended; empty for none
 */
public record NodeSpec(Map<Setting, String> settings, int heapMegabytes, List<String> jvmFlags, Optional<Path> log) {

    /** Validates, and keeps unmodifiable copies. */
    public NodeSpec {
        settings = Map.copyOf(settings);
        jvmFlags = List.copyOf(jvmFlags);
        for (Setting needed : List.of(Setting.ID, Setting.LISTEN)) {
            if (!settings.containsKey(needed)) {
                throw new IllegalArgumentException("settings of a node: " + needed.propertyName() + " is missing");
            }
        }
        if (Stream.of(Setting.PEERS, Setting.BOOTSTRAP, Setting.JOIN).noneMatch(settings::containsKey)) {
            throw new IllegalArgumentException("settings of a node: the nodes of its cluster are missing");
        }
        JvmFlags.checkHeap(heapMegabytes);
    }

    /** Returns the node's name. */
    String id() {
        return settings.getOrDefault(Setting.ID, "");
    }
}
