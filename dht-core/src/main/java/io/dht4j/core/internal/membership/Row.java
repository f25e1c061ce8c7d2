package io.dht4j.core.internal.membership;

import io.dht4j.Node;
import java.util.List;

/**
 * The replicas of a partition in the agreed table.
 *
 * @param version the epoch at which the row last changed, 1 or more
 * @param nodes the replicas in order, one for each slot, at least one
 */
public record Row(long version, List<Node> nodes) {

    /** Checks the version and copies the nodes. */
    public Row {
        nodes = List.copyOf(nodes);
        if (version < 1) {
            throw new IllegalArgumentException("the version of a row is 1 or more, not " + version);
        }
        if (nodes.isEmpty()) {
            throw new IllegalArgumentException("a row has at least one replica");
        }
    }
}
