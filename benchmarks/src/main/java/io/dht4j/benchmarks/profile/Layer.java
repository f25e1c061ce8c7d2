package io.dht4j.benchmarks.profile;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * A part of a node, to which attribution assigns counts of a profile. {@code docs/reference/bench.md} has the rules.
 */
public enum Layer {
    /** The library's public APIs over HTTP and gRPC. */
    PUBLIC_API("public API"),
    /** The library's core: coordinator and replica side, placement, hashes, clocks, admission. */
    COORDINATOR("coordinator"),
    /** The frames that nodes send each other. */
    CODEC("codec"),
    /** Requests to other nodes, the client library included. */
    TRANSPORT_CLIENT("transport client"),
    /** Requests of peers and of clients, the server library included. */
    TRANSPORT_SERVER("transport server"),
    /** Event loops, channels and buffers of Netty that may serve the client or the server side. */
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
    /** Frames without a rule. */
    OTHER("other");

    private final String label;

    Layer(String label) {
        this.label = label;
    }

    /**
     * Returns the order of layers, the same in all reports.
     *
     * @return a comparator of labels; unknown labels are last, in alphabetical order
     */
    public static Comparator<String> byLabel() {
        List<String> labels = Arrays.stream(values()).map(Layer::label).toList();
        return Comparator.<String>comparingInt(label -> labels.contains(label) ? labels.indexOf(label) : labels.size())
                .thenComparing(Comparator.naturalOrder());
    }

    /**
     * Returns its name in reports.
     *
     * @return in lower case
     */
    public String label() {
        return label;
    }
}
