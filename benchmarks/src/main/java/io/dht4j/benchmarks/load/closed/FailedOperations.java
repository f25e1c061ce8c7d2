package io.dht4j.benchmarks.load.closed;

import java.util.List;
import java.util.Optional;

/** Judges the failures of closed loops. Stateless. */
public final class FailedOperations {

    /** Figures are doubted if more than one of so many operations fail. */
    private static final int DOUBTED = 1000;

    private FailedOperations() {}

    /**
     * Returns the doubt about the figures if more than one operation in a thousand failed.
     *
     * @param results the results of all repetitions
     * @return in words, with the first failure; empty if fewer failed
     */
    public static Optional<String> doubt(List<ThroughputLoop.Result> results) {
        long failed = results.stream().mapToLong(ThroughputLoop.Result::failed).sum();
        long all = failed
                + results.stream().mapToLong(ThroughputLoop.Result::operations).sum();
        return failed * DOUBTED <= all
                ? Optional.empty()
                : results.stream()
                        .map(ThroughputLoop.Result::firstFailure)
                        .filter(first -> !first.isEmpty())
                        .findFirst()
                        .map(first -> failed + " of " + all + " operations failed, the first one by: " + first);
    }
}
