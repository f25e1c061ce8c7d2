package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.report.LoadLevel;
import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;

/**
 * Runs a stable load again, to take costs and profiles. A load that held a minute ago may fail now, and a profiler
 * needs processor time. So the run is repeated until the load holds, at full load first and then at smaller parts.
 */
final class ConfirmationRun {

    /** Attempts at each part. */
    private static final int TRIES = 2;

    /** In percent of the stable load. */
    private static final List<Integer> PARTS = List.of(LoadLevel.ALL, 90, 75);

    private ConfirmationRun() {}

    /** One run. */
    @FunctionalInterface
    interface Attempt {

        /**
         * Takes the measurement, and replaces an earlier one. Blocks.
         *
         * @param percent of the stable load
         * @return whether the load held; also true if further runs are useless
         * @throws IOException if it fails
         * @throws InterruptedException if the thread is interrupted
         */
        boolean held(int percent) throws IOException, InterruptedException;
    }

    /**
     * Tries until the load held. Blocks.
     *
     * @return the percentage at which it held; empty if it never did: then the last measurement is of the smallest part
     * @throws IOException if a run fails
     * @throws InterruptedException if the thread is interrupted
     */
    static OptionalInt until(Attempt attempt) throws IOException, InterruptedException {
        for (int percent : PARTS) {
            for (int i = 0; i < TRIES; i++) {
                if (attempt.held(percent)) {
                    return OptionalInt.of(percent);
                }
            }
        }
        return OptionalInt.empty();
    }
}
