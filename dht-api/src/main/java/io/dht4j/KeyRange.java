package io.dht4j;

import java.util.Optional;

/**
 * A range of keys in their order as unsigned bytes: from {@code start}, included, to {@code end}, not included, or to
 * the last key there is.
 *
 * @param start the first key that may belong to the range
 * @param end the first key after the range, or empty for a range without an end
 */
public record KeyRange(Key start, Optional<Key> end) {

    private static final KeyRange ALL = from(Key.of(new byte[1]));

    /**
     * A range from a key to the last key there is.
     *
     * @param start the first key
     * @return the range
     */
    public static KeyRange from(Key start) {
        return new KeyRange(start, Optional.empty());
    }

    /**
     * A range between two keys. It is empty when {@code end} is not greater than {@code start}.
     *
     * @param start the first key, included
     * @param end the end, not included
     * @return the range
     */
    public static KeyRange between(Key start, Key end) {
        return new KeyRange(start, Optional.of(end));
    }

    /**
     * The range of every key.
     *
     * @return the range that starts at the smallest key and has no end
     */
    public static KeyRange all() {
        return ALL;
    }

    /**
     * Whether the range holds a key.
     *
     * @param key any key
     * @return true if {@code start <= key < end}
     */
    public boolean contains(Key key) {
        return key.compareTo(start) >= 0 && (end.isEmpty() || key.compareTo(end.get()) < 0);
    }
}
