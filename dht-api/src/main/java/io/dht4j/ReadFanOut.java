package io.dht4j;

/** How many replicas a read asks. */
public enum ReadFanOut {
    /**
     * As many as must answer: this node first if it is a replica, then in the key's order. When one fails, or is late
     * as {@link Hedging} says, the next one is asked. Costs least.
     */
    ENOUGH,
    /** Every replica of the policy; the fastest answers win. Costs most, and hides a slow replica at once. */
    ALL
}
