package io.dht4j.simulator.history;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Finds the deletes and expirations that may hide a write from a read without a result. Confined to the thread of the
 * history.
 */
@FunctionalInterface
public interface SupersededCheck {

    /**
     * Returns the least version that such a read must have seen: that of a delete, or of an expired value.
     *
     * @param read a read without a result
     * @param write the write that the read would show unless a newer one hid it
     * @return a version not older than the write's; empty if the write is not hidden, so that the read was wrong
     */
    Optional<Version> least(Operation read, Entry write);

    /**
     * Returns a check by the content of the disks.
     *
     * @param onDisks returns all entries that any replica has ever stored of a key
     * @return the check
     */
    static SupersededCheck onDisks(Function<Key, Stream<Entry>> onDisks) {
        return (read, write) -> onDisks.apply(read.key())
                .filter(entry -> !entry.isLive(read.latestClock()) && !write.supersedes(entry))
                .map(Entry::version)
                .min(Comparator.naturalOrder());
    }

    /**
     * Returns a check by the history alone, for disks that cannot be read. A write may be hidden by deletes of the key
     * that were acknowledged with a newer version, or whose outcome is unknown, and that began before the read ended.
     * For histories without expiry.
     *
     * @param history the history
     * @return the check
     */
    static SupersededCheck inHistory(History history) {
        return (read, write) -> history.writesOf(read.key()).stream()
                .filter(delete -> delete.kind() == Operation.Kind.DELETE
                        && delete.outcome() != Operation.Outcome.FAILED
                        && delete.begun() < read.ended())
                // If a delete of unknown version hides the write, its version is not older than the write's.
                .filter(delete -> delete.version().isEmpty() || !write.supersedes(delete.entry()))
                .map(delete -> delete.version().orElse(write.version()))
                .min(Comparator.naturalOrder());
    }
}
