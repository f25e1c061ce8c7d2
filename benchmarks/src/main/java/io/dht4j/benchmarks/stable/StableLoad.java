package io.dht4j.benchmarks.stable;

import io.dht4j.benchmarks.results.LoadLevel;
import java.util.List;

/**
 * The highest stable load, as a {@link StableLoadSearch} finds it.
 *
 * @param perSecond the highest rate that held in a longer run; 0 if none did
 * @param atLeast whether the search ended at its greatest rate: the true value may be higher
 * @param levels latency at 10, 50, 70, 90 and 100 percent of it, in this order, the last from the longer run; empty if
 *     no rate held
 */
public record StableLoad(double perSecond, boolean atLeast, List<LoadLevel> levels) {

    /** Keeps an unmodifiable copy. */
    public StableLoad {
        levels = List.copyOf(levels);
    }

    /** Returns whether any rate was stable. */
    public boolean found() {
        return perSecond > 0;
    }
}
