package io.dht4j.simulator.history;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks the results of reads. A read must show the newest write acknowledged before it began, or a newer one. A
 * monotonic read must also show the result of each monotonic read that ended before it began, or a newer write. No read
 * may show a value that was never written, that certainly failed, that a newer delete has removed, or that has expired
 * by the clock of its node. Confined to the thread of its history.
 */
public final class ReadCheck {

    private final History history;
    private final SupersededCheck hiding;
    /** For each key, the least versions that monotonic reads without a result must have seen. */
    private final Map<Key, List<Hidden>> hidden = new HashMap<>();

    /** The moment at which a read without a result ended, and the least version that it must have seen. */
    private record Hidden(int moment, Version least) {}

    /**
     * Creates a check of reads.
     *
     * @param history the history
     * @param hiding finds the operations that may hide a write from a read
     */
    public ReadCheck(History history, SupersededCheck hiding) {
        this.history = history;
        this.hiding = hiding;
    }

    /**
     * Checks a read that has succeeded, and records its result. Reads must be passed in the order in which they ended.
     * The history may be complete or still growing.
     *
     * @param read a read or scan of the history
     * @return the violation, if any
     */
    public Optional<String> violation(Operation read) {
        List<Operation> writes = history.writesOf(read.key());
        Optional<Least> least = writes.stream()
                .flatMap(write -> mustBeSeen(write, read).map(entry -> new Least(write, entry)).stream())
                .max((a, b) -> a.entry().supersedes(b.entry()) ? 1 : b.entry().supersedes(a.entry()) ? -1 : 0);
        return read.read() == null ? absent(read, least) : present(read, read.read(), writes, least);
    }

    /** The oldest write that a read may show, with the entry that proves it. */
    private record Least(Operation write, Entry entry) {}

    private static Optional<Entry> mustBeSeen(Operation write, Operation read) {
        if (write.outcome() == Operation.Outcome.DONE
                && write.ended() < read.begun()
                && write.version().isPresent()) {
            return Optional.of(write.entry());
        }
        return read.kind() == Operation.Kind.READ ? write.seenBefore(read.begun()) : Optional.empty();
    }

    private Optional<String> present(Operation read, byte[] shown, List<Operation> writes, Optional<Least> least) {
        Optional<Operation> found = writes.stream()
                .filter(write -> write.written() != null && Arrays.equals(write.written(), shown))
                .findFirst();
        if (found.isEmpty()) {
            return Optional.of(read + " shows a value that was never written");
        }
        Operation origin = found.get();
        if (origin.outcome() == Operation.Outcome.FAILED) {
            return Optional.of(read + " shows what certainly failed: " + origin);
        }
        // The clock may have been turned back in between.
        if (!origin.isLive(read.earliestClock())) {
            return Optional.of(read + " shows what has expired: " + origin);
        }
        Entry entry = Entry.value(read.key(), read.version().orElseThrow(), shown, origin.expiresAtMillis());
        // Of several keys written together only the greatest version may be known.
        if (least.isPresent()
                && least.get().write() != origin
                && least.get().entry().supersedes(entry)) {
            return Optional.of(read + " shows " + origin + ", which is older than "
                    + least.get().write());
        }
        if (read.kind() == Operation.Kind.READ
                && hidden.getOrDefault(read.key(), List.of()).stream()
                        .anyMatch(each ->
                                each.moment() < read.begun() && each.least().compareTo(entry.version()) > 0)) {
            return Optional.of(read + " shows " + origin + ", which an earlier read had seen deleted or expired");
        }
        if (read.kind() == Operation.Kind.READ) {
            origin.seen(read.ended(), read.version().orElseThrow());
        }
        return Optional.empty();
    }

    private Optional<String> absent(Operation read, Optional<Least> least) {
        if (least.isEmpty()
                || least.get().write().kind() == Operation.Kind.DELETE
                || !least.get().write().isLive(read.latestClock())) {
            return Optional.empty();
        }
        // A newer entry on some replica must hide the write: a delete, or an expired value.
        Optional<Version> newer = hiding.least(read, least.get().entry());
        if (newer.isEmpty()) {
            return Optional.of(read + " does not show " + least.get().write());
        }
        if (read.kind() == Operation.Kind.READ) {
            hidden.computeIfAbsent(read.key(), key -> new ArrayList<>()).add(new Hidden(read.ended(), newer.get()));
        }
        return Optional.empty();
    }
}
