package io.dht4j.spi;

import io.dht4j.HotKeys;
import io.dht4j.Key;
import java.util.List;

/**
 * A summary of a stream of weighted keys that finds the heaviest ones in bounded memory. Confined to one thread at a
 * time: the caller synchronizes. Neither method blocks. Nothing is kept on a disk. An exception ends the count that the
 * sketch was for, and nothing else.
 */
public interface FrequencySketch {

    /**
     * Adds an occurrence of a key. The sketch may keep the key, and keeps a bounded number of them.
     *
     * @param key the key
     * @param weight its weight, 1 or more
     */
    void add(Key key, long weight);

    /**
     * Returns the keys that have, or may have, the highest sums of weights.
     *
     * @param count how many at most, 1 or more
     * @return the keys with bounds of their sums, in descending order; every key whose sum certainly exceeds the error
     *     of the sketch is among them, as long as there are no more than {@code count}
     */
    List<HotKeys.Count> heaviest(int count);
}
