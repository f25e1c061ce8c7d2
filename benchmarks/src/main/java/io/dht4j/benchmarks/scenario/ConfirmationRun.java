package io.dht4j.benchmarks.scenario;

import io.dht4j.benchmarks.report.Level;
import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;

/**
 * Looks once more at a stable load that was found before, to take what could not be taken while it was looked for:
 * costs, profiles. What held a minute before need not hold again, and a profiler needs a part of the processors. So a
 * look is repeated until the load held meanwhile, at all of it first and then at smaller parts.
 */
final class ConfirmationRun {

    /** How often each part is tried. */
    private static final int TRIES = 2;

    /** In percent of the stable load. */
    private static final List<Integer> PARTS = List.of(Level.ALL, 90, 75);

    private ConfirmationRun() {}

    /** One look. */
    @FunctionalInterface
    interface Attempt {

        /**
         * Takes what is wanted, in place of what an earlier look has taken. Blocks.
         *
         * @param percent of the stable load that it is to be taken at
         * @return whether that load held meanwhile; true as well if further looks would be of no use
         * @throws IOException if there cannot be one
         * @throws InterruptedException if the thread is interrupted
         */
        boolean held(int percent) throws IOException, InterruptedException;
    }

    /**
     * Tries until the load held. Blocks.
     *
     * @return the percentage at which it did; empty if nowhere, and what was taken last is of the smallest part
     * @throws IOException if a look fails
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
