package io.dht4j.core.internal.atomic;

import io.dht4j.RequestId;
import io.dht4j.Version;

/**
 * An operation that a register has executed, with the result that a repeated attempt gets. An operation whose condition
 * did not hold is one too: otherwise a late copy of its message could execute it after its caller has learned that it
 * has changed nothing.
 *
 * @param id the operation
 * @param change the {@linkplain Operation#digest() digest} of what it does
 * @param at above {@code since} of the operation; the revision of the register after it, if it has changed it
 * @param outcome what became of it
 * @param number the number that it returned; 0 if it returned none
 */
public record Executed(RequestId id, int change, Version at, Outcome outcome, long number) {

    /** Returns whether it was carried out. */
    public boolean isDone() {
        return outcome == Outcome.DONE || outcome == Outcome.CREATED;
    }

    /** What became of an operation. */
    public enum Outcome {
        /** It was carried out on a key that held something, or it has removed or read the key. */
        DONE,
        /** It was carried out, and the key held nothing before. */
        CREATED,
        /** Its condition did not hold. */
        CONDITION_FAILED,
        /** It needs a counter where a value is, or a value where a counter is. */
        OTHER_KIND,
        /** The counter would exceed its range. */
        OVERFLOW,
        /** The id belongs to an operation that does something else. Not remembered. */
        OTHER_CHANGE
    }
}
