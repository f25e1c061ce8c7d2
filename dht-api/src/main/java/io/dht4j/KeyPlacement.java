package io.dht4j;

import java.util.List;

/**
 * The partition of a key, and the nodes that receive its writes: the same for every key of the partition.
 *
 * @param partition the key's partition, 0 or more
 * @param replicas the nodes in the replica order of the key. A policy's {@code from} takes a prefix, unless a replica
 *     is being moved: then two nodes stand for one replica, next to each other, and first the one whose content is
 *     shown
 */
public record KeyPlacement(int partition, List<Node> replicas) {

    /** Copies the list. */
    public KeyPlacement {
        replicas = List.copyOf(replicas);
    }
}
