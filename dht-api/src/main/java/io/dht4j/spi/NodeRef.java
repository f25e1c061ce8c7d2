package io.dht4j.spi;

import io.dht4j.NodeId;
import java.util.Comparator;
import java.util.Objects;
import java.util.UUID;

/**
 * One life of a node: its name, and the incarnation that it made when its data began. A node that starts again on its
 * data keeps its incarnation; a node of the same name with an empty disk, or on another machine, is another one.
 *
 * @param name the node's name
 * @param incarnation made once for each disk, at random
 */
public record NodeRef(NodeId name, UUID incarnation) implements Comparable<NodeRef> {

    private static final Comparator<NodeRef> ORDER =
            Comparator.comparing(NodeRef::name).thenComparing(NodeRef::incarnation);

    /** Checks that both are there. */
    public NodeRef {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(incarnation, "incarnation");
    }

    /** Orders by name, then by incarnation. */
    @Override
    public int compareTo(NodeRef other) {
        return ORDER.compare(this, other);
    }

    /** Returns the name and the incarnation, for example {@code n1@6f1c…}. */
    @Override
    public String toString() {
        return name + "@" + incarnation;
    }
}
