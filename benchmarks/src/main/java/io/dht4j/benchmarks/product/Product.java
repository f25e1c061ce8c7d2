package io.dht4j.benchmarks.product;

import java.util.List;

/** A product of the comparison. */
public enum Product {
    /** This library, embedded, over gRPC streams. */
    DHT4J,
    /** Hazelcast, embedded, an {@code IMap}. */
    HAZELCAST,
    /** The same with gets from the member's own backup, which may be stale. */
    HAZELCAST_BACKUP_READS,
    /** Infinispan, embedded, a distributed synchronous cache. */
    INFINISPAN;

    /**
     * Returns the JVM flags that its documentation requires. Hazelcast also gets a common pool of two threads: with
     * one, as on two processors, it starts a thread for each asynchronous operation.
     */
    public List<String> jvmFlags() {
        return switch (this) {
            case DHT4J, INFINISPAN -> List.of();
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
