package io.dht4j.benchmarks.profile;

/** A part of a node that a profile's counts are attributed to. {@code docs/bench-profiles.md} has the rules. */
public enum Layer {
    /** The library's public APIs over HTTP and gRPC. */
    PUBLIC_API("public API"),
    /** The library's core: coordinator and replica side, placement, hashes, clocks, admission. */
    COORDINATOR("coordinator"),
    /** The frames that nodes send each other. */
    CODEC("codec"),
    /** What sends requests to other nodes, the client library included. */
    TRANSPORT_CLIENT("transport client"),
    /** What receives requests of peers and of users, the server library included. */
    TRANSPORT_SERVER("transport server"),
    /** Event loops, channels and buffers of Netty where nothing tells whether they serve the client or the server side. */
    TRANSPORT_SHARED("transport, either side"),
    /** The store and its library. */
    STORE("store"),
    /** Pools, queues, futures, and event loops that wait. */
    EXECUTORS("executors and queues"),
    /** Locks and monitors. */
    LOCKS("locks"),
    /** The JVM's own work: collector, compiler, safepoints, slow ways of allocation. */
    GC_AND_JIT("GC and JIT"),
    /** System calls. */
    KERNEL("kernel"),
    /** Profiler and counters. */
    PROFILER("the profiler itself"),
    /** The load generator, where it runs in the process. */
    GENERATOR("load generator"),
    /** What no rule knows. */
    OTHER("other");

    private final String label;

    Layer(String label) {
        this.label = label;
    }

    /**
     * What reports call it.
     *
     * @return in lower case
     */
    public String label() {
        return label;
    }
}
