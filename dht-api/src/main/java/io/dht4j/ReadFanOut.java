package io.dht4j;

/** The number of replicas that a read asks. */
public enum ReadFanOut {
    /**
     * The number of replicas that must answer: this node first if it is a replica, then in the key's order. When a
     * replica fails, or is late according to {@link Hedging}, the coordinator asks the next one. Sends the fewest
     * requests.
     */
    ENOUGH,
    /**
     * Every replica of the policy; the fastest answers win. Sends the most requests, and hides a slow replica
     * immediately.
     */
    ALL
}
