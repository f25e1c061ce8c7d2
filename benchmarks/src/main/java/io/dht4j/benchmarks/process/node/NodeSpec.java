package io.dht4j.benchmarks.process.node;

import io.dht4j.benchmarks.process.JvmFlags;
import io.dht4j.server.config.Setting;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A node in a process of its own: the standalone server.
 *
 * @param settings of the server, with {@link Setting#ID}, {@link Setting#LISTEN} and {@link Setting#PEERS}
 * @param heapMegabytes size of the heap, from the beginning; 32 to 1,000,000
 * @param jvmFlags further flags for its JVM
 * @param log a file to which its log is appended; empty for none
 */
public record NodeSpec(Map<Setting, String> settings, int heapMegabytes, List<String> jvmFlags, Optional<Path> log) {

    /** Validates, and keeps unmodifiable copies. */
    public NodeSpec {
        settings = Map.copyOf(settings);
        jvmFlags = List.copyOf(jvmFlags);
        for (Setting needed : List.of(Setting.ID, Setting.LISTEN, Setting.PEERS)) {
            if (!settings.containsKey(needed)) {
                throw new IllegalArgumentException("settings of a node: " + needed.propertyName() + " is missing");
            }
        }
        JvmFlags.checkHeap(heapMegabytes);
    }

    /** Returns the node's name. */
    String id() {
        return settings.getOrDefault(Setting.ID, "");
    }
}
