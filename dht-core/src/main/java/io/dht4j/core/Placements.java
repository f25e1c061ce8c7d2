package io.dht4j.core;

import io.dht4j.core.internal.placement.Strategy;
import io.dht4j.spi.Placement;

/**
 * Creates placements. All are pure and safe for use by any number of threads. Except for the control, all bound the
 * load of a node by default, see {@link LoadBound}. A table with a bound depends on the order of the nodes in the
 * topology, the order in which they joined. Building a table takes time and memory proportional to nodes times
 * partitions.
 */
public final class Placements {

    private Placements() {}

    /**
     * Returns a consistent-hash ring with the default options.
     *
     * @return the placement, named {@code ring}
     */
    public static Placement ring() {
        return ring(RingOptions.defaults());
    }

    /**
     * Returns a consistent-hash ring, on which the number of a node's virtual nodes is proportional to its weight.
     * Without a bound the order of the nodes has no effect.
     *
     * @param options the number of virtual nodes, and the bound
     * @return the placement, named {@code ring}, or {@code ring-unbounded} without a bound
     */
    public static Placement ring(RingOptions options) {
        return Strategy.ring(options.virtualNodes(), options.bound().factor());
    }

    /**
     * Returns weighted rendezvous hashing with the standard bound.
     *
     * @return the placement, named {@code rendezvous}
     */
    public static Placement rendezvous() {
        return rendezvous(LoadBound.standard());
    }

    /**
     * Returns weighted rendezvous hashing: shares are exactly proportional to the weights for any number of nodes.
     * Without a bound the order of the nodes has no effect.
     *
     * @param bound the bound on a node's load
     * @return the placement, named {@code rendezvous}, or {@code rendezvous-unbounded} without a bound
     */
    public static Placement rendezvous(LoadBound bound) {
        return Strategy.rendezvous(bound.factor());
    }

    /**
     * Returns jump hashing with the standard bound.
     *
     * @return the placement, named {@code jump}
     */
    public static Placement jump() {
        return jump(LoadBound.standard());
    }

    /**
     * Returns jump hashing over the nodes in the topology's order. Few keys move when nodes join at the end or the last
     * one leaves; many move when another one leaves. Ignores weights.
     *
     * @param bound the bound on a node's load
     * @return the placement, named {@code jump}, or {@code jump-unbounded} without a bound
     */
    public static Placement jump(LoadBound bound) {
        return Strategy.jump(bound.factor());
    }

    /**
     * Returns the partition's number modulo the number of nodes, as a negative control. The spread is even, but almost
     * every key moves whenever a node joins or leaves. Ignores weights.
     *
     * @return the placement, named {@code modulo}
     */
    public static Placement modulo() {
        return Strategy.modulo();
    }
}
