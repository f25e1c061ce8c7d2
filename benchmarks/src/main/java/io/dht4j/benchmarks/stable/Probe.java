package io.dht4j.benchmarks.stable;

import io.dht4j.lab.internal.load.LoadResult;

/**
 * A run of the search.
 *
 * @param phase its purpose
 * @param result of the run
 * @param stable whether it was stable
 */
public record Probe(Phase phase, LoadResult result, boolean stable) {

    /** The purpose of a run. */
    public enum Phase {
        /** Searches for the limit. */
        SEARCH,
        /** Confirms that a rate holds for longer. */
        CONFIRM,
        /** Measures a part of the found rate. */
        LEVEL
    }
}
