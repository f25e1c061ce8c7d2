package io.dht4j;

import java.util.List;

/**
 * The partition and the replicas of a key.
 *
 * @param partition the key's partition, 0 or more
 * @param replicas all nodes in the replica order of the key; a policy's {@code from} takes a prefix
 */
public record KeyPlacement(int partition, List<Node> replicas) {

    /** Copies the list. */
    public KeyPlacement {
        replicas = List.copyOf(replicas);
    }
}
