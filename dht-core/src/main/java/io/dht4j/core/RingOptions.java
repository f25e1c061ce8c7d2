package io.dht4j.core;

import io.dht4j.Ranges;

/**
 * Options of {@link Placements#ring(RingOptions)}. They must be the same on every node of a cluster.
 *
 * @param virtualNodes the number of a node's points on the ring per unit of weight, 1 to {@value #MAX_VIRTUAL_NODES};
 *     more points make the plain ring more even and its table slower to build
 * @param bound the bound on a node's load
 */
public record RingOptions(int virtualNodes, LoadBound bound) {

    /** The largest number of virtual nodes per unit of weight. */
    public static final int MAX_VIRTUAL_NODES = 4096;

    private static final int DEFAULT_VIRTUAL_NODES = 256;

    /**
     * Checks the range.
     *
     * @throws IllegalArgumentException if the number of virtual nodes is out of range
     */
    public RingOptions {
        Ranges.require("ring: virtual nodes", virtualNodes, 1, MAX_VIRTUAL_NODES);
    }

    /**
     * Returns the default options.
     *
     * @return 256 virtual nodes, the standard bound
     */
    public static RingOptions defaults() {
        return new RingOptions(DEFAULT_VIRTUAL_NODES, LoadBound.standard());
    }

    /**
     * Returns these options with another number of virtual nodes.
     *
     * @param count 1 to {@value #MAX_VIRTUAL_NODES}
     * @return new options
     * @throws IllegalArgumentException if it is out of range
     */
    public RingOptions withVirtualNodes(int count) {
        return new RingOptions(count, bound);
    }

    /**
     * Returns these options with another bound.
     *
     * @param other the bound on a node's load
     * @return new options
     */
    public RingOptions withBound(LoadBound other) {
        return new RingOptions(virtualNodes, other);
    }
}
