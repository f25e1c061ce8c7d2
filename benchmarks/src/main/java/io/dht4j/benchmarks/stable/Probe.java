package io.dht4j.benchmarks.stable;

import io.dht4j.benchmarks.load.LoadResult;

/**
 * A run that the search made.
 *
 * @param phase what for
 * @param result what came of it
 * @param stable whether it was stable
 */
public record Probe(Phase phase, LoadResult result, boolean stable) {

    /** What a run is for. */
    public enum Phase {
        /** Looking for the limit. */
        SEARCH,
        /** Seeing whether a rate holds for longer. */
        CONFIRM,
        /** Measuring a part of the rate that was found. */
        LEVEL
    }
}
