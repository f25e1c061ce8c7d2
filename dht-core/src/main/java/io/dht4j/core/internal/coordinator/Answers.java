package io.dht4j.core.internal.coordinator;

import io.dht4j.Node;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the replicas of a key have answered to a read so far, and whether the read was settled on it. Immutable: each answer makes a new
 * one, so that whoever adds an answer knows all that came before it.
 *
 * @param last the newest link of the list; null if there is none yet
 * @param before those before it; null if there are none
 * @param settled whether the read was settled before the last one came
 */
record Answers(@Nullable Sighting last, @Nullable Answers before, boolean settled) {

    static final Answers NONE = new Answers(null, null, false);

    Answers with(Sighting sighting) {
        return new Answers(sighting, this, settled);
    }

    Answers thatSettle() {
        return new Answers(last, before, true);
    }

    /** The newest answer; of two as new, one with the value. Empty if no replica has anything. */
    Optional<Sighting> newest() {
        Sighting newest = null;
        for (Answers at = this; at != null && at.last != null; at = at.before) {
            if (!(at.last.answer() instanceof Answer.Absent) && (newest == null || at.last.supersedes(newest))) {
                newest = at.last;
            }
        }
        return Optional.ofNullable(newest);
    }

    /** The newest entry that came with its value. */
    Optional<Entry> newestEntry() {
        Entry newest = null;
        for (Answers at = this; at != null && at.last != null; at = at.before) {
            if (at.last.answer() instanceof Answer.Whole whole
                    && (newest == null || whole.entry().supersedes(newest))) {
                newest = whole.entry();
            }
        }
        return Optional.ofNullable(newest);
    }

    /** Which of some nodes hold an entry or something newer, by what they answered. */
    List<Node> holders(List<Node> nodes, Entry entry) {
        List<Node> holders = new ArrayList<>(nodes.size());
        for (Node node : nodes) {
            for (Answers at = this; at != null && at.last != null; at = at.before) {
                if (at.last.node().equals(node) && !at.last.isBehind(entry)) {
                    holders.add(node);
                    break;
                }
            }
        }
        return holders;
    }

    /** Which of some nodes have answered, with less than an entry. */
    List<Node> behind(List<Node> nodes, Entry entry) {
        List<Node> behind = new ArrayList<>();
        for (Node node : nodes) {
            boolean answered = false;
            boolean holds = false;
            for (Answers at = this; at != null && at.last != null; at = at.before) {
                if (at.last.node().equals(node)) {
                    answered = true;
                    holds |= !at.last.isBehind(entry);
                }
            }
            if (answered && !holds) {
                behind.add(node);
            }
        }
        return behind;
    }
}
