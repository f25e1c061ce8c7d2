package io.dht4j.core.internal.atomic;

import io.dht4j.Ranges;
import io.dht4j.Version;
import java.util.Arrays;
import java.util.Objects;

/**
 * What an operation does to a register. Immutable as long as callers leave the array of {@link #value} unchanged.
 *
 * @param kind the kind
 * @param expected the revision that the register must have, for {@link Kind#REPLACE} and {@link Kind#REMOVE_REVISION}
 * @param ttlMillis after how long the value expires; 0 for never
 * @param number the summand of {@link Kind#ADD}, the new number of {@link Kind#COMPARE_AND_SET}
 * @param expectedNumber the number that a counter must have, for {@link Kind#COMPARE_AND_SET}
 * @param value the new value; empty for kinds without one
 */
@SuppressWarnings("ArrayRecordComponent") // compared by content
public record Change(Kind kind, Version expected, long ttlMillis, long number, long expectedNumber, byte[] value) {

    /** The largest number of bytes of a value. */
    public static final int MAX_VALUE_BYTES = 64 * 1024;

    private static final byte[] NO_BYTES = {};

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if one is out of range
     */
    public Change {
        Ranges.require("an atomic value's bytes", value.length, 0, MAX_VALUE_BYTES);
        Ranges.require("ttlMillis", ttlMillis, 0, Long.MAX_VALUE);
    }

    /** The kinds; their order is their number on the wire. */
    public enum Kind {
        /** Changes nothing. */
        READ,
        /** Sets the value. */
        PUT,
        /** Sets the value if there is none. */
        PUT_IF_ABSENT,
        /** Sets the value if the revision is the expected one. */
        REPLACE,
        /** Removes the value or counter. */
        REMOVE,
        /** Removes the value or counter if the revision is the expected one. */
        REMOVE_REVISION,
        /** Sets the expiry of a value that is present, from now. */
        TOUCH,
        /** Adds to a counter, which begins at 0. */
        ADD,
        /** Sets a counter if it has the expected number; an absent one has 0. */
        COMPARE_AND_SET
    }

    private static Change of(Kind kind, Version expected, long ttlMillis, byte[] value) {
        return new Change(kind, expected, ttlMillis, 0, 0, value);
    }

    /** Returns the change of a read. */
    public static Change read() {
        return of(Kind.READ, Register.NEVER_CHANGED, 0, NO_BYTES);
    }

    /** Returns a change that sets the value. */
    public static Change put(byte[] value, long ttlMillis) {
        return of(Kind.PUT, Register.NEVER_CHANGED, ttlMillis, value);
    }

    /** Returns a change that sets the value if there is none. */
    public static Change putIfAbsent(byte[] value, long ttlMillis) {
        return of(Kind.PUT_IF_ABSENT, Register.NEVER_CHANGED, ttlMillis, value);
    }

    /** Returns a change that sets the value if the register has a revision. */
    public static Change replace(Version expected, byte[] value, long ttlMillis) {
        return of(Kind.REPLACE, expected, ttlMillis, value);
    }

    /** Returns a change that removes what there is. */
    public static Change remove() {
        return of(Kind.REMOVE, Register.NEVER_CHANGED, 0, NO_BYTES);
    }

    /** Returns a change that removes what there is if the register has a revision. */
    public static Change remove(Version expected) {
        return of(Kind.REMOVE_REVISION, expected, 0, NO_BYTES);
    }

    /** Returns a change that sets the expiry of a value that is present. */
    public static Change touch(long ttlMillis) {
        return of(Kind.TOUCH, Register.NEVER_CHANGED, ttlMillis, NO_BYTES);
    }

    /** Returns a change that adds to a counter. */
    public static Change add(long delta) {
        return new Change(Kind.ADD, Register.NEVER_CHANGED, 0, delta, 0, NO_BYTES);
    }

    /** Returns a change that sets a counter if it has a number. */
    public static Change compareAndSet(long expected, long number) {
        return new Change(Kind.COMPARE_AND_SET, Register.NEVER_CHANGED, 0, number, expected, NO_BYTES);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Change change
                && kind == change.kind
                && expected.equals(change.expected)
                && ttlMillis == change.ttlMillis
                && number == change.number
                && expectedNumber == change.expectedNumber
                && Arrays.equals(value, change.value);
    }

    @Override
    public int hashCode() {
        return Objects.hash(kind, expected, ttlMillis, number, expectedNumber, Arrays.hashCode(value));
    }
}
