package io.dht4j.core.internal.coordinator;

import io.dht4j.Node;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.List;

/** The answers to a read of one key, the last one first: a list that threads put answers in front of without locks. Immutable. */
final class Seen {

    /** No answer yet. */
    static final Seen NOTHING = new Seen();

    /** In place of the list of a read that needs no more answers. */
    static final Seen SETTLED = new Seen();

    private final Sighting sighting;
    private final Seen before;

    private Seen() {
        this.sighting = new Sighting(Node.of("nobody", "nowhere"), new Answer.Absent());
        this.before = this;
    }

    Seen(Sighting sighting, Seen before) {
        this.sighting = sighting;
        this.before = before;
    }

    /** The replicas that answered with less than an entry, in the order in which they answered. */
    List<Node> behind(Entry entry) {
        List<Node> nodes = List.of();
        for (Seen each = this; each != NOTHING; each = each.before) {
            if (each.sighting.isBehind(entry)) {
                nodes = nodes.isEmpty() ? new ArrayList<>() : nodes;
                nodes.add(0, each.sighting.node());
            }
        }
        return nodes;
    }

    /** Those of some replicas that have not answered. */
    List<Node> silent(List<Node> replicas) {
        List<Node> silent = new ArrayList<>(replicas);
        for (Seen each = this; each != NOTHING; each = each.before) {
            silent.remove(each.sighting.node());
        }
        return silent;
    }

    /** How many answered. */
    int size() {
        int size = 0;
        for (Seen each = this; each != NOTHING; each = each.before) {
            size++;
        }
        return size;
    }
}
