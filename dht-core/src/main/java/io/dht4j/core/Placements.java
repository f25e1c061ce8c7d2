package io.dht4j.core;

import io.dht4j.core.internal.placement.Strategy;
import io.dht4j.spi.Placement;

/**
 * The placement strategies to choose from. All are pure and safe for use by any number of threads. All but the control
 * bound the load of a node unless told otherwise, see {@link LoadBound}; then a table depends on the order in which the
 * topology has the nodes, which is the order in which they joined. Making a table takes time and memory in proportion
 * to nodes times partitions.
 */
public final class Placements {

    private Placements() {}

    /**
     * A consistent-hash ring with the default options.
     *
     * @return the placement, named {@code ring}
     */
    public static Placement ring() {
        return ring(RingOptions.defaults());
    }

    /**
     * A consistent-hash ring, on which a node has virtual nodes in number proportional to its weight. Without a bound
     * the order of the nodes does not matter.
     *
     * @param options the number of virtual nodes, and the bound
     * @return the placement, named {@code ring}, or {@code ring-unbounded} without a bound
     */
    public static Placement ring(RingOptions options) {
        return Strategy.ring(options.virtualNodes(), options.bound().factor());
    }

    /**
     * Weighted rendezvous hashing with the standard bound.
     *
     * @return the placement, named {@code rendezvous}
     */
    public static Placement rendezvous() {
        return rendezvous(LoadBound.standard());
    }

    /**
     * Weighted rendezvous hashing: shares exactly proportional to the weights, however many nodes there are. Without a
     * bound the order of the nodes does not matter.
     *
     * @param bound the bound on a node's load
     * @return the placement, named {@code rendezvous}, or {@code rendezvous-unbounded} without a bound
     */
    public static Placement rendezvous(LoadBound bound) {
        return Strategy.rendezvous(bound.factor());
    }

    /**
     * Jump hashing with the standard bound.
     *
     * @return the placement, named {@code jump}
     */
    public static Placement jump() {
        return jump(LoadBound.standard());
    }

    /**
     * Jump hashing over the nodes in the topology's order. Few keys move if nodes join at the end or the last one
     * leaves; if another leaves, a large part does. Does not heed weights.
     *
     * @param bound the bound on a node's load
     * @return the placement, named {@code jump}, or {@code jump-unbounded} without a bound
     */
    public static Placement jump(LoadBound bound) {
        return Strategy.jump(bound.factor());
    }

    /**
     * The partition's number modulo the number of nodes: the control that shows why not. Even, but almost every key
     * moves whenever a node joins or leaves. Does not heed weights.
     *
     * @return the placement, named {@code modulo}
     */
    public static Placement modulo() {
        return Strategy.modulo();
    }
}
