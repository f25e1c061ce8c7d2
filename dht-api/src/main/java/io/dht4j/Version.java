package io.dht4j;

/**
 * The version of a write: a hybrid logical clock of 48 bits of milliseconds since 1970 and a 16-bit counter. The newer
 * version wins. Source: Kulkarni et al., <i>Logical Physical Clocks and Consistent Snapshots in Globally Distributed
 * Databases</i>, 2014.
 *
 * @param packed milliseconds in the upper 48 bits, counter in the lower 16; compared as an unsigned number
 */
public record Version(long packed) implements Comparable<Version> {

    /** The number of bits of the counter. */
    public static final int COUNTER_BITS = 16;

    /** The largest counter. */
    public static final int MAX_COUNTER = (1 << COUNTER_BITS) - 1;

    /** The largest number of milliseconds. */
    public static final long MAX_MILLIS = (1L << (Long.SIZE - COUNTER_BITS)) - 1;

    /**
     * Creates a version from its parts.
     *
     * @param millis milliseconds since 1970, 0 to 2<sup>48</sup> - 1
     * @param counter 0 to 65535
     * @return the version
     * @throws IllegalArgumentException if a part is out of its range
     */
    public static Version of(long millis, int counter) {
        Ranges.require("millis", millis, 0, MAX_MILLIS);
        Ranges.require("counter", counter, 0, MAX_COUNTER);
        return new Version(millis << COUNTER_BITS | counter);
    }

    /**
     * Returns the physical part.
     *
     * @return milliseconds since 1970
     */
    public long millis() {
        return packed >>> COUNTER_BITS;
    }

    /**
     * Returns the logical part, which orders versions of one millisecond.
     *
     * @return 0 to 65535
     */
    public int counter() {
        return (int) (packed & MAX_COUNTER);
    }

    @Override
    public int compareTo(Version other) {
        return Long.compareUnsigned(packed, other.packed);
    }

    /** Returns the packed form as an unsigned decimal number, as in the HTTP header {@code Dht-Version}. */
    @Override
    public String toString() {
        return Long.toUnsignedString(packed);
    }
}
