package io.dht4j;

/** The policies for an outstanding request to a replica once enough other replicas have answered. */
public enum CancellationPolicy {
    /** Nothing: the coordinator awaits and reads the reply. */
    NEVER,
    /** The coordinator discards the reply unread when it arrives. The replica receives no notice. */
    LOCAL,
    /**
     * The coordinator sends a cancellation as cheaply as the transport allows. The replica skips work that it has not
     * begun.
     */
    PROPAGATE
}
