package io.dht4j.simulator.history;

import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Checks the content of snapshots. Of each key a snapshot must show the newest acknowledged write that it must contain,
 * or a newer one that is not newer than the snapshot. It may not show a value that was never written, that certainly
 * failed, or that has expired. Confined to the thread of its history. The history must be complete, since a write
 * acknowledged later may belong to the snapshot.
 */
public final class SnapshotCheck {

    private final History history;
    private final SupersededCheck hiding;

    /**
     * An opened snapshot.
     *
     * @param version its version
     * @param begun the moment of the request
     * @param awaited whether the snapshot has waited for a running write; then it contains the write, if that is
     *     acknowledged and not newer
     */
    public record Snapshot(Version version, int begun, Predicate<Operation> awaited) {

        private boolean mustHave(Operation write) {
            return write.outcome() == Operation.Outcome.DONE
                    && write.version().isPresent()
                    && write.version().get().compareTo(version) <= 0
                    && (write.ended() < begun || awaited.test(write));
        }
    }

    /**
     * Creates a check of snapshots.
     *
     * @param history the history
     * @param hiding finds the operations that may hide a write from a read
     */
    public SnapshotCheck(History history, SupersededCheck hiding) {
        this.history = history;
        this.hiding = hiding;
    }

    /**
     * Checks that every write acknowledged before the snapshot was requested is older than its version.
     *
     * @param snapshot the snapshot
     * @return the violation, if any
     */
    public Optional<String> violation(Snapshot snapshot) {
        return history.all().stream()
                .filter(each ->
                        each.isWrite() && each.outcome() == Operation.Outcome.DONE && each.ended() < snapshot.begun())
                .filter(write -> write.version()
                        .filter(version -> version.compareTo(snapshot.version()) >= 0)
                        .isPresent())
                .findFirst()
                .map(write -> "the snapshot " + snapshot.version() + " of " + snapshot.begun()
                        + " is not newer than what was acknowledged before: " + write);
    }

    /**
     * Checks the result of a read of a snapshot.
     *
     * @param snapshot the snapshot
     * @param read the read, of the kind {@link Operation.Kind#SNAPSHOT}
     * @param shown the value shown
     * @return the violation, if any
     */
    public Optional<String> violation(Snapshot snapshot, Operation read, Optional<Value> shown) {
        Optional<Operation> least = history.writesOf(read.key()).stream()
                .filter(snapshot::mustHave)
                .max(Comparator.comparing(Operation::entry, (a, b) -> a.supersedes(b) ? 1 : b.supersedes(a) ? -1 : 0));
        return shown.isPresent()
                ? present(snapshot, read, shown.get(), least)
                : absent(snapshot, read, least).map(why -> why + ", with version " + snapshot.version());
    }

    private Optional<String> present(Snapshot snapshot, Operation read, Value shown, Optional<Operation> least) {
        if (shown.version().compareTo(snapshot.version()) > 0) {
            return Optional.of(
                    read + " shows version " + shown.version() + ", newer than the snapshot " + snapshot.version());
        }
        byte[] bytes = shown.bytes();
        Optional<Operation> found = history.writesOf(read.key()).stream()
                .filter(write -> write.written() != null && Arrays.equals(write.written(), bytes))
                .findFirst();
        if (found.isEmpty()) {
            return Optional.of(read + " shows a value that was never written");
        }
        Operation origin = found.get();
        if (origin.outcome() == Operation.Outcome.FAILED) {
            return Optional.of(read + " shows what certainly failed: " + origin);
        }
        if (!origin.isLive(read.earliestClock())) {
            return Optional.of(read + " shows what has expired: " + origin);
        }
        Entry entry = Entry.value(read.key(), shown.version(), bytes, origin.expiresAtMillis());
        return least.filter(write -> write.entry().supersedes(entry))
                .map(write -> read + " shows " + origin + ", which is older than " + write);
    }

    private Optional<String> absent(Snapshot snapshot, Operation read, Optional<Operation> least) {
        if (least.isEmpty()
                || least.get().kind() == Operation.Kind.DELETE
                || !least.get().isLive(read.latestClock())) {
            return Optional.empty();
        }
        return hiding.least(read, least.get().entry())
                        .filter(version -> version.compareTo(snapshot.version()) <= 0)
                        .isPresent()
                ? Optional.empty()
                : Optional.of(read + " does not show " + least.get());
    }
}
