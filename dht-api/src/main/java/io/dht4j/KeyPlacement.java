package io.dht4j;

import java.util.List;

/**
 * Where a key lives.
 *
 * @param partition the key's partition, 0 or more
 * @param replicas every node in the order in which it is a replica of the key: a policy's {@code from} takes a prefix
 */
public record KeyPlacement(int partition, List<Node> replicas) {

    /** Copies the list. */
    public KeyPlacement {
        replicas = List.copyOf(replicas);
    }
}
