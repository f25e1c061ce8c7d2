package io.dht4j.core.internal.atomic;

import io.dht4j.RequestId;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The state of an atomic key. Immutable as long as callers leave the array of {@link #value} unchanged.
 *
 * <p>It remembers its last operations, so that a repeated attempt gets the first result. An operation that it has
 * forgotten was executed at {@link #forgotten} or before. So one that began later, and is not found, was never
 * executed.
 *
 * @param kind what it holds
 * @param revision increases with each change; {@link #NEVER_CHANGED} before the first
 * @param expiresAtMillis when it becomes absent, in milliseconds since 1970; {@link Entry#NEVER} for never
 * @param forgotten not below the version of any operation that was executed and is not in the list
 * @param executed its last operations, the oldest first; their versions ascend
 * @param value the value; eight bytes for a counter; empty if absent
 */
@SuppressWarnings("ArrayRecordComponent") // compared by content
public record Register(
        Kind kind, Version revision, long expiresAtMillis, Version forgotten, List<Executed> executed, byte[] value) {

    /** The revision of a register that has never changed. */
    public static final Version NEVER_CHANGED = new Version(0);

    /** How many operations a register remembers at least. */
    static final int REMEMBERED = 16;

    /** How long a register remembers an operation at least, unless there are {@value #MOST_REMEMBERED} later ones. */
    public static final long REMEMBERED_MILLIS = 2_000;

    /** How many operations a register remembers at most. */
    static final int MOST_REMEMBERED = 1_024;

    private static final byte[] NO_BYTES = {};

    /** What a register holds. */
    public enum Kind {
        /** Nothing: it was never written, was removed, or has expired. */
        ABSENT,
        /** A value. */
        VALUE,
        /** A number. */
        COUNTER
    }

    /** Copies the list. */
    public Register {
        executed = ExecutedList.copyOf(executed);
    }

    /** Returns its last operations. */
    ExecutedList operations() {
        return (ExecutedList) executed;
    }

    /**
     * Returns the state of a key without an entry.
     *
     * @param purged all registers of the key with an older revision may have been purged
     */
    public static Register absent(Version purged) {
        return new Register(Kind.ABSENT, NEVER_CHANGED, Entry.NEVER, purged, List.of(), NO_BYTES);
    }

    /** Returns the version of its newest operation, which is above all that it remembers or has forgotten. */
    public Version newest() {
        Version newest = revision.compareTo(forgotten) >= 0 ? revision : forgotten;
        Version last = executed.isEmpty() ? NEVER_CHANGED : operations().at(executed.size() - 1);
        return last.compareTo(newest) > 0 ? last : newest;
    }

    /** Returns whether it holds something. */
    public boolean isPresent() {
        return kind != Kind.ABSENT;
    }

    /**
     * Returns whether it has expired, but has not become absent yet.
     *
     * @param nowMillis milliseconds since 1970
     */
    public boolean isExpired(long nowMillis) {
        return isPresent() && expiresAtMillis != Entry.NEVER && expiresAtMillis <= nowMillis;
    }

    /**
     * Returns the result of an operation, if it is remembered.
     *
     * @param id the operation
     * @param since when it has begun: it was executed later
     */
    public Optional<Executed> find(RequestId id, Version since) {
        ExecutedList all = operations();
        for (int i = all.size() - 1; i >= 0; i--) {
            if (all.hasId(i, id)) {
                return Optional.of(all.get(i));
            }
            if (all.at(i).compareTo(since) <= 0) {
                break;
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the same register with another content.
     *
     * @param newKind what it holds
     * @param newRevision above the current revision
     * @param newExpiry when it becomes absent
     * @param newValue the value
     */
    Register changed(Kind newKind, Version newRevision, long newExpiry, byte[] newValue) {
        return new Register(newKind, newRevision, newExpiry, forgotten, executed, newValue);
    }

    /** Returns the register without its content, as after a removal or its expiry. */
    Register removed(Version newRevision) {
        return changed(Kind.ABSENT, newRevision, Entry.NEVER, NO_BYTES);
    }

    /** Returns the same register, which remembers one more operation, and forgets what is old. */
    Register remembering(Executed latest) {
        ExecutedList all = operations();
        int before = all.size();
        int first = 0;
        Version least = forgotten;
        long oldest = latest.at().millis() - REMEMBERED_MILLIS;
        while (before - first >= MOST_REMEMBERED
                || (before - first >= REMEMBERED && all.at(first).millis() < oldest)) {
            Version gone = all.at(first);
            least = gone.compareTo(least) > 0 ? gone : least;
            first++;
        }
        return new Register(kind, revision, expiresAtMillis, least, all.following(first, latest), value);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Register register
                && kind == register.kind
                && revision.equals(register.revision)
                && expiresAtMillis == register.expiresAtMillis
                && forgotten.equals(register.forgotten)
                && executed.equals(register.executed)
                && Arrays.equals(value, register.value);
    }

    @Override
    public int hashCode() {
        return Objects.hash(kind, revision, expiresAtMillis, forgotten, executed, Arrays.hashCode(value));
    }
}
