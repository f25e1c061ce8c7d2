package io.dht4j.benchmarks.results;

import io.dht4j.lab.internal.load.LoadResult;

/**
 * A load at a part of the stable load, or at a given rate.
 *
 * @param percent of the stable load: 10, 50, 70, 90 or 100; 100 at a given rate
 * @param result of the run
 */
public record LoadLevel(int percent, LoadResult result) {

    /** The stable load itself, in percent. */
    public static final int ALL = 100;
}
