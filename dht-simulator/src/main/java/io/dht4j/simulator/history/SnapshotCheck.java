package io.dht4j.simulator.history;

import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Whether a snapshot showed of a key what it had to: of the acknowledged writes that it must have, the newest, or a
 * newer one that is not newer than the snapshot; never what nobody wrote, what certainly failed, or what has expired.
 * Belongs to the thread of its history, and judges when that has ended, since a write that is acknowledged later may
 * have to be in the snapshot.
 */
public final class SnapshotCheck {

    private final History history;
    private final SupersededCheck hiding;

    /**
     * A snapshot that was opened.
     *
     * @param version its version
     * @param begun the moment when it was asked for
     * @param awaited whether it has waited for a write that was under way: then the write is in it, if it is
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
     * A check of snapshots.
     *
     * @param history what clients did
     * @param hiding what may hide a write from a read
     */
    public SnapshotCheck(History history, SupersededCheck hiding) {
        this.history = history;
        this.hiding = hiding;
    }

    /**
     * Whether all is older that it must have.
     *
     * @param snapshot which one
     * @return what is wrong with its version; empty if nothing is
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
     * Judges what a snapshot showed of a key.
     *
     * @param snapshot which one
     * @param read when it was read, and of which key; of the kind {@link Operation.Kind#SNAPSHOT}
     * @param shown what it showed
     * @return what is wrong with it; empty if nothing is
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
            return Optional.of(read + " shows what nobody wrote");
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
