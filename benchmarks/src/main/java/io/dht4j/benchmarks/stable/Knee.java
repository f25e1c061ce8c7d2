package io.dht4j.benchmarks.stable;

import io.dht4j.benchmarks.results.LoadLevel;
import io.dht4j.lab.internal.load.LoadResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The knee of latency against throughput: the greatest offered rate that holds, below the least one that does not.
 *
 * @param at the run at that rate
 * @param bent whether a greater rate failed; otherwise the knee may be higher
 */
public record Knee(LoadResult at, boolean bent) {

    /**
     * Finds the knee of a sweep. A pure function.
     *
     * @param points runs at different rates, in any order
     * @param holds whether a run is within the bounds
     * @return the knee; empty if the least rate already fails
     */
    public static Optional<Knee> of(List<LoadResult> points, Predicate<LoadResult> holds) {
        Optional<LoadResult> last = Optional.empty();
        for (LoadResult point : ascending(points)) {
            if (!holds.test(point)) {
                return last.map(result -> new Knee(result, true));
            }
            last = Optional.of(point);
        }
        return last.map(result -> new Knee(result, false));
    }

    /** Returns the offered rate, in operations per second. */
    public double perSecond() {
        return at.spec().perSecond();
    }

    /**
     * Returns the points of a sweep as parts of this knee, which alone is {@link LoadLevel#ALL}.
     *
     * @param points of the sweep
     * @return ascending by rate
     */
    public List<LoadLevel> levels(List<LoadResult> points) {
        List<LoadLevel> levels = new ArrayList<>();
        for (LoadResult point : ascending(points)) {
            double part = LoadLevel.ALL * point.spec().perSecond() / perSecond();
            int percent = part < LoadLevel.ALL
                    ? (int) Math.max(1, Math.min(LoadLevel.ALL - 1, Math.round(part)))
                    : (int) Math.max(LoadLevel.ALL + 1, Math.round(part));
            levels.add(new LoadLevel(point.equals(at) ? LoadLevel.ALL : percent, point));
        }
        return levels;
    }

    private static List<LoadResult> ascending(List<LoadResult> points) {
        return points.stream()
                .sorted(Comparator.comparingDouble(point -> point.spec().perSecond()))
                .toList();
    }
}
