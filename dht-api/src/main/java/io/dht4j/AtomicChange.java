package io.dht4j;

import java.util.Arrays;
import java.util.Objects;

/**
 * What an operation does to an atomic key. Immutable as long as callers leave the array of {@link #value} unchanged.
 *
 * @param kind the kind
 * @param expected the version that the key must have, for {@link Kind#REPLACE} and {@link Kind#REMOVE_VERSION}
 * @param ttlMillis after how many milliseconds the value expires, up to {@link CallOptions#MAX_TIME_TO_LIVE}; 0 for
 *     never, but not for {@link Kind#TOUCH}
 * @param number the summand of {@link Kind#ADD}, the new number of {@link Kind#COMPARE_AND_SET}
 * @param expectedNumber the number that a counter must have, for {@link Kind#COMPARE_AND_SET}
 * @param value the new value, 0 to {@value #MAX_VALUE_BYTES} bytes; empty for kinds without one
 */
@SuppressWarnings("ArrayRecordComponent") // compared by content
public record AtomicChange(
        Kind kind, Version expected, long ttlMillis, long number, long expectedNumber, byte[] value) {

    /** The largest number of bytes of a value. */
    public static final int MAX_VALUE_BYTES = 64 * 1024;

    private static final Version NONE = new Version(0);
    private static final byte[] NO_BYTES = {};

    /**
     * Checks the ranges.
     *
     * @throws InvalidRequestException if the value is too large, or the time to live out of range
     */
    public AtomicChange {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(expected, "expected");
        Objects.requireNonNull(value, "value");
        long least = kind == Kind.TOUCH ? 1 : 0;
        if (ttlMillis < least || ttlMillis > CallOptions.MAX_TIME_TO_LIVE.toMillis()) {
            throw new InvalidRequestException(
                    ErrorCode.TTL_INVALID,
                    "the time to live of an atomic key must be " + least + " to "
                            + CallOptions.MAX_TIME_TO_LIVE.toMillis() + " ms, not " + ttlMillis,
                    true);
        }
        if (value.length > MAX_VALUE_BYTES) {
            throw new InvalidRequestException(
                    ErrorCode.VALUE_TOO_LARGE,
                    "the value of an atomic key has at most " + MAX_VALUE_BYTES + " bytes, this one has "
                            + value.length,
                    true);
        }
    }

    /** The kinds; their order is their number on the wire. */
    public enum Kind {
        /** Changes nothing. */
        READ,
        /** Sets the value. */
        PUT,
        /** Sets the value if there is none. */
        PUT_IF_ABSENT,
        /** Sets the value if the version is the expected one. */
        REPLACE,
        /** Removes the value or counter. */
        REMOVE,
        /** Removes the value or counter if the version is the expected one. */
        REMOVE_VERSION,
        /** Sets the expiry of a value or counter that is present, from now. */
        TOUCH,
        /** Adds to a counter, which begins at 0. */
        ADD,
        /** Sets a counter if it has the expected number; an absent one has 0. */
        COMPARE_AND_SET
    }

    private static AtomicChange of(Kind kind, Version expected, long ttlMillis, byte[] value) {
        return new AtomicChange(kind, expected, ttlMillis, 0, 0, value);
    }

    /**
     * Returns the change of a read: none.
     *
     * @return the change
     */
    public static AtomicChange read() {
        return of(Kind.READ, NONE, 0, NO_BYTES);
    }

    /**
     * Returns a change that sets the value.
     *
     * @param value the value, not copied
     * @param ttlMillis after how many milliseconds it expires, 0 for never
     * @return the change
     */
    public static AtomicChange put(byte[] value, long ttlMillis) {
        return of(Kind.PUT, NONE, ttlMillis, value);
    }

    /**
     * Returns a change that sets the value if there is none.
     *
     * @param value the value, not copied
     * @param ttlMillis after how many milliseconds it expires, 0 for never
     * @return the change
     */
    public static AtomicChange putIfAbsent(byte[] value, long ttlMillis) {
        return of(Kind.PUT_IF_ABSENT, NONE, ttlMillis, value);
    }

    /**
     * Returns a change that sets the value if the key has a version.
     *
     * @param expected the version
     * @param value the value, not copied
     * @param ttlMillis after how many milliseconds it expires, 0 for never
     * @return the change
     */
    public static AtomicChange replace(Version expected, byte[] value, long ttlMillis) {
        return of(Kind.REPLACE, expected, ttlMillis, value);
    }

    /**
     * Returns a change that removes the value or counter.
     *
     * @return the change
     */
    public static AtomicChange remove() {
        return of(Kind.REMOVE, NONE, 0, NO_BYTES);
    }

    /**
     * Returns a change that removes the value or counter if the key has a version.
     *
     * @param expected the version
     * @return the change
     */
    public static AtomicChange remove(Version expected) {
        return of(Kind.REMOVE_VERSION, expected, 0, NO_BYTES);
    }

    /**
     * Returns a change that sets the expiry of what is present.
     *
     * @param ttlMillis after how many milliseconds from now it expires, 1 or more
     * @return the change
     */
    public static AtomicChange touch(long ttlMillis) {
        return of(Kind.TOUCH, NONE, ttlMillis, NO_BYTES);
    }

    /**
     * Returns a change that adds to a counter.
     *
     * @param delta any number
     * @return the change
     */
    public static AtomicChange add(long delta) {
        return new AtomicChange(Kind.ADD, NONE, 0, delta, 0, NO_BYTES);
    }

    /**
     * Returns a change that sets a counter if it has a number.
     *
     * @param expected the number
     * @param number the new number
     * @return the change
     */
    public static AtomicChange compareAndSet(long expected, long number) {
        return new AtomicChange(Kind.COMPARE_AND_SET, NONE, 0, number, expected, NO_BYTES);
    }

    /**
     * Returns the same change with an array of its own.
     *
     * @return this if it has no value
     */
    public AtomicChange copy() {
        return value.length == 0
                ? this
                : new AtomicChange(kind, expected, ttlMillis, number, expectedNumber, value.clone());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AtomicChange change
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
