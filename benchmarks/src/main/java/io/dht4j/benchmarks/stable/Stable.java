package io.dht4j.benchmarks.stable;

import io.dht4j.benchmarks.report.Level;
import java.util.List;

/**
 * The stable load that was found.
 *
 * @param perSecond the highest rate that held in the longer run; 0 if none did
 * @param atLeast whether the search ended at the greatest rate that it was to try: the truth may be higher
 * @param levels latency at 10, 50, 70, 90 and 100 percent of it, in this order; the last is the longer run. Empty if no
 *     rate held
 */
public record Stable(double perSecond, boolean atLeast, List<Level> levels) {

    /** Keeps an unmodifiable copy. */
    public Stable {
        levels = List.copyOf(levels);
    }

    /** Whether any rate was stable. */
    public boolean found() {
        return perSecond > 0;
    }
}
