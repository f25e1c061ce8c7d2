package io.dht4j;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/**
 * The keys for which a node, as a replica, was asked most within some time. Immutable.
 *
 * @param node the node that counted
 * @param counted for how long it counted
 * @param reads by the number of reads
 * @param writes by the number of writes and deletes
 * @param bytes by the bytes of keys and values that were read and written
 */
public record HotKeys(NodeId node, Duration counted, Ranking reads, Ranking writes, Ranking bytes) {

    /** The most keys in a ranking. */
    public static final int MOST_KEYS = 100;

    /** The shortest time for which a node counts. */
    public static final Duration SHORTEST = Duration.ofMillis(100);

    /** The longest time for which a node counts. */
    public static final Duration LONGEST = Duration.ofSeconds(30);

    /**
     * The keys with the highest counts.
     *
     * @param total the sum of the counts of all keys, which is exact
     * @param keys the keys, the highest lower bound first
     */
    public record Ranking(long total, List<Count> keys) {

        /** Sorts a copy of the list. */
        public Ranking {
            keys = keys.stream()
                    .sorted(Comparator.comparingLong(Count::atLeast)
                            .thenComparingLong(Count::atMost)
                            .reversed())
                    .toList();
        }

        /**
         * Returns the first keys.
         *
         * @param count how many at most, 0 or more
         * @return a ranking of the same total
         */
        public Ranking first(int count) {
            return keys.size() <= count ? this : new Ranking(total, keys.subList(0, count));
        }
    }

    /**
     * The bounds of the count of a key.
     *
     * @param key the key
     * @param atLeast the lower bound, 0 or more
     * @param atMost the upper bound
     */
    public record Count(Key key, long atLeast, long atMost) {}

    /**
     * Returns the first keys of each ranking.
     *
     * @param count how many at most, 0 or more
     * @return the same of fewer keys
     */
    public HotKeys first(int count) {
        return new HotKeys(node, counted, reads.first(count), writes.first(count), bytes.first(count));
    }
}
