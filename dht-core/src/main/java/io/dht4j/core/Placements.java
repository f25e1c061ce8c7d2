package io.dht4j.core;

import io.dht4j.core.internal.placement.Strategy;
import io.dht4j.spi.Placement;

/** The placement strategies to choose from. All are pure and safe for use by any number of threads. */
public final class Placements {

    private Placements() {}

    /**
     * A consistent-hash ring with virtual nodes in number proportional to a node's weight.
     *
     * @return the placement, named {@code ring}
     */
    public static Placement ring() {
        return Strategy.ring(256);
    }

    /**
     * Weighted rendezvous hashing: the evenest of the classic strategies, and the least moved by joins and leaves.
     *
     * @return the placement, named {@code rendezvous}
     */
    public static Placement rendezvous() {
        return Strategy.rendezvous();
    }

    /**
     * Jump hashing over the nodes in the topology's order. Few keys move if nodes join at the end or the last one leaves;
     * otherwise many do. Does not heed weights.
     *
     * @return the placement, named {@code jump}
     */
    public static Placement jump() {
        return Strategy.jump();
    }

    /**
     * The partition's number modulo the number of nodes: the control that shows why not. Almost every key moves whenever a
     * node joins or leaves. Does not heed weights.
     *
     * @return the placement, named {@code modulo}
     */
    public static Placement modulo() {
        return Strategy.modulo();
    }
}
