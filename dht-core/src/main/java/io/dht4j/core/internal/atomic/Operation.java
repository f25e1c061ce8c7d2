package io.dht4j.core.internal.atomic;

import io.dht4j.AtomicChange;
import io.dht4j.RequestId;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.Executed.Outcome;
import io.dht4j.core.internal.atomic.Register.Kind;
import io.dht4j.spi.Entry;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * One attempt at a change. It is executed only if it certainly was not before: each attempt looks for its operation
 * among those that the register remembers, also the first one, which may be a late copy of a message.
 *
 * @param id the operation
 * @param change what it does
 */
public record Operation(RequestId id, AtomicChange change) {

    /** Returns when the operation has begun, by the clock of its caller. */
    public Version since() {
        return Version.of(id.millis(), 0);
    }

    /** Returns a digest of what the operation does, the same in every JVM. */
    public int digest() {
        int digest = change.kind().name().hashCode();
        digest = 31 * digest + Long.hashCode(change.expected().packed());
        digest = 31 * digest + Long.hashCode(change.ttlMillis());
        digest = 31 * digest + Long.hashCode(change.number());
        digest = 31 * digest + Long.hashCode(change.expectedNumber());
        return 31 * digest + Arrays.hashCode(change.value());
    }

    /**
     * The register after an attempt, and its result.
     *
     * @param register the register; the given one if nothing has changed
     * @param result what became of the operation; empty if that cannot be known, since the register has forgotten
     *     operations that began later. Then this attempt has changed nothing
     */
    public record Step(Register register, Optional<Executed> result) {}

    /**
     * Executes the attempt.
     *
     * @param before the register
     * @param nowMillis decides what has expired, in milliseconds since 1970
     * @param at the version of this execution: above {@link #since}, and above the revision and all forgotten
     *     operations of the register
     * @return the register after it
     */
    public Step execute(Register before, long nowMillis, Version at) {
        Register current = before.isExpired(nowMillis) ? before.removed(at) : before;
        if (change.kind() == AtomicChange.Kind.READ) {
            return new Step(current, Optional.of(executed(current.revision(), Outcome.DONE, current)));
        }
        Optional<Executed> known = current.find(id, since());
        if (known.isPresent() && known.get().change() != digest()) {
            return new Step(current, Optional.of(executed(current.revision(), Outcome.OTHER_CHANGE, current)));
        }
        if (known.isPresent() || current.forgotten().compareTo(since()) > 0) {
            return new Step(current, known);
        }
        Outcome outcome = outcome(current);
        Register changed = outcome == Outcome.DONE ? changed(current, nowMillis, at) : current;
        if (!current.isPresent() && changed.isPresent()) {
            outcome = Outcome.CREATED;
        }
        Executed executed = executed(at, outcome, changed);
        return new Step(changed.remembering(executed), Optional.of(executed));
    }

    private Executed executed(Version at, Outcome outcome, Register after) {
        return new Executed(id, digest(), at, outcome, number(after));
    }

    private Outcome outcome(Register current) {
        return switch (change.kind()) {
            case READ, REMOVE -> Outcome.DONE;
            case PUT -> current.kind() == Kind.COUNTER ? Outcome.OTHER_KIND : Outcome.DONE;
            case PUT_IF_ABSENT -> doneIf(!current.isPresent());
            case REPLACE -> current.kind() == Kind.COUNTER ? Outcome.OTHER_KIND : doneIf(isExpected(current));
            case REMOVE_VERSION -> doneIf(isExpected(current));
            case TOUCH -> doneIf(current.isPresent());
            case ADD -> current.kind() == Kind.VALUE ? Outcome.OTHER_KIND : sumOutcome(number(current));
            case COMPARE_AND_SET ->
                current.kind() == Kind.VALUE ? Outcome.OTHER_KIND : doneIf(number(current) == change.expectedNumber());
        };
    }

    private static Outcome doneIf(boolean holds) {
        return holds ? Outcome.DONE : Outcome.CONDITION_FAILED;
    }

    private boolean isExpected(Register current) {
        return current.isPresent() && current.revision().equals(change.expected());
    }

    private Outcome sumOutcome(long number) {
        long sum = number + change.number();
        boolean overflows = ((number ^ sum) & (change.number() ^ sum)) < 0;
        return overflows ? Outcome.OVERFLOW : Outcome.DONE;
    }

    private Register changed(Register current, long nowMillis, Version at) {
        return switch (change.kind()) {
            case READ -> current;
            case PUT, PUT_IF_ABSENT, REPLACE -> current.changed(Kind.VALUE, at, expiry(nowMillis), change.value());
            case REMOVE, REMOVE_VERSION -> current.removed(at);
            case TOUCH -> current.changed(current.kind(), at, expiry(nowMillis), current.value());
            case ADD -> counter(current, at, number(current) + change.number());
            case COMPARE_AND_SET -> counter(current, at, change.number());
        };
    }

    private static Register counter(Register current, Version at, long number) {
        byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(number).array();
        return current.changed(Kind.COUNTER, at, current.expiresAtMillis(), bytes);
    }

    private long expiry(long nowMillis) {
        if (change.ttlMillis() == 0) {
            return Entry.NEVER;
        }
        long expiry = nowMillis + change.ttlMillis();
        return expiry < nowMillis ? Long.MAX_VALUE : expiry;
    }

    /** Returns the number of a counter; 0 for other registers. */
    public static long number(Register register) {
        return register.kind() == Kind.COUNTER
                ? ByteBuffer.wrap(register.value()).getLong()
                : 0;
    }
}
