package io.dht4j.benchmarks.product;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A product of the comparison. */
public enum Product {
    /** This library, embedded, over gRPC streams. */
    DHT4J,
    /** The atomic maps of this library, embedded, over TCP and forced to the disk. */
    DHT4J_ATOMIC,
    /** Hazelcast, embedded, an {@code IMap}. */
    HAZELCAST,
    /** The same with gets from the member's own backup, which may be stale. */
    HAZELCAST_BACKUP_READS,
    /** Infinispan, embedded, a distributed synchronous cache. */
    INFINISPAN,
    /** etcd, a server beside the load, with its defaults. */
    ETCD;

    /** The program of etcd's server, to be found on the path. */
    public static final String ETCD_COMMAND = "etcd";

    /** Returns whether the program of etcd's server is on the path. */
    public static boolean isEtcdFound() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, ETCD_COMMAND)));
    }

    /** Returns whether its members keep their entries in a directory. */
    public boolean isDurable() {
        return this == DHT4J_ATOMIC || this == ETCD;
    }

    /**
     * Returns the JVM flags that its documentation requires. Hazelcast also gets a common pool of two threads: with
     * one, as on two processors, it starts a thread for each asynchronous operation.
     */
    public List<String> jvmFlags() {
        return switch (this) {
            case DHT4J, DHT4J_ATOMIC, INFINISPAN, ETCD -> List.of();
            case HAZELCAST, HAZELCAST_BACKUP_READS ->
                List.of(
                        "-Djava.util.concurrent.ForkJoinPool.common.parallelism=2",
                        "--add-modules=java.se",
                        "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                        "--add-opens=java.management/sun.management=ALL-UNNAMED",
                        "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED");
        };
    }
}
