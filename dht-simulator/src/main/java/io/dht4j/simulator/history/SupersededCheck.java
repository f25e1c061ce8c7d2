package io.dht4j.simulator.history;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Knows what may hide a write from a read that shows nothing. Belongs to the thread of the history. */
@FunctionalInterface
public interface SupersededCheck {

    /**
     * The least that such a read must have seen: a delete, or a value that has expired.
     *
     * @param read shows nothing
     * @param write what the read would have had to show if nothing newer hid it
     * @return a version not older than the write's; empty if nothing hides the write, so that the read was wrong
     */
    Optional<Version> least(Operation read, Entry write);

    /**
     * Knows from what replicas keep.
     *
     * @param onDisks whatever any replica has ever kept of a key
     * @return the knowledge
     */
    static SupersededCheck onDisks(Function<Key, Stream<Entry>> onDisks) {
        return (read, write) -> onDisks.apply(read.key())
                .filter(entry -> !entry.isLive(read.latestClock()) && !write.supersedes(entry))
                .map(Entry::version)
                .min(Comparator.naturalOrder());
    }

    /**
     * Knows from the history alone, where nobody can look at the disks: deletes of the key that were acknowledged with
     * a newer version, or whose outcome is not known, and that began before the read ended. For histories in which
     * nothing expires.
     *
     * @param history what clients did
     * @return the knowledge
     */
    static SupersededCheck inHistory(History history) {
        return (read, write) -> history.writesOf(read.key()).stream()
                .filter(delete -> delete.kind() == Operation.Kind.DELETE
                        && delete.outcome() != Operation.Outcome.FAILED
                        && delete.begun() < read.ended())
                // Of an unknown version it is only certain that it hides the write, if it does.
                .filter(delete -> delete.version().isEmpty() || !write.supersedes(delete.entry()))
                .map(delete -> delete.version().orElse(write.version()))
                .min(Comparator.naturalOrder());
    }
}
