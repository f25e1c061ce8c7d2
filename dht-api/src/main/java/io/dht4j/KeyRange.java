package io.dht4j;

import java.util.Objects;
import java.util.Optional;

/**
 * A range of keys, ordered as unsigned bytes: from {@code start} (inclusive) to {@code end} (exclusive) or to the last
 * key.
 *
 * @param start the first key that may belong to the range
 * @param end the first key after the range, or empty for a range without an end; the range is empty if it is not after
 *     the start
 */
public record KeyRange(Key start, Optional<Key> end) {

    /** Requires both bounds. */
    public KeyRange {
        Objects.requireNonNull(start, "start");
        Objects.requireNonNull(end, "end");
    }

    private static final KeyRange ALL = from(Key.of(new byte[1]));

    /**
     * Returns the range from a key to the last key.
     *
     * @param start the first key
     * @return the range
     */
    public static KeyRange from(Key start) {
        return new KeyRange(start, Optional.empty());
    }

    /**
     * Returns the range between two keys.
     *
     * @param start the first key, inclusive
     * @param end the end, exclusive; an end equal to {@code start} makes the range empty
     * @return the range
     * @throws InvalidRequestException if the end is before the start
     */
    public static KeyRange between(Key start, Key end) {
        if (Objects.requireNonNull(end, "end").compareTo(start) < 0) {
            throw new InvalidRequestException(
                    ErrorCode.SCAN_INVALID,
                    "the end of a range must not be before its start, as keys are ordered by their bytes: start is "
                            + start + ", end is " + end,
                    true);
        }
        return new KeyRange(start, Optional.of(end));
    }

    /**
     * Returns the range of all keys that begin with the bytes of a key, that key included.
     *
     * @param prefix the first bytes
     * @return the range, which has no end if each byte is 255
     */
    public static KeyRange prefix(Key prefix) {
        byte[] bytes = Objects.requireNonNull(prefix, "prefix").toByteArray();
        for (int last = bytes.length - 1; last >= 0; last--) {
            if (bytes[last] != (byte) 0xff) {
                bytes[last]++;
                return between(prefix, Key.copyOfRange(bytes, 0, last + 1));
            }
        }
        return from(prefix);
    }

    /**
     * Returns the range of all keys.
     *
     * @return the range that starts at the smallest key and has no end
     */
    public static KeyRange all() {
        return ALL;
    }

    /**
     * Returns whether the range contains a key.
     *
     * @param key any key
     * @return true if {@code start <= key < end}
     */
    public boolean contains(Key key) {
        Objects.requireNonNull(key, "key");
        return key.compareTo(start) >= 0 && (end.isEmpty() || key.compareTo(end.get()) < 0);
    }
}
