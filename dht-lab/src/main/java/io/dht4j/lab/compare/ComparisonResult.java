package io.dht4j.lab.compare;

import io.dht4j.Ranges;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The costs of two transports. A pure function of the repetitions. Immutable.
 *
 * @param a the name of the transport that sets the standard
 * @param b the name of the one that is compared with it
 * @param costs one or more
 * @param doubts the doubts about the figures, in words; empty if there are none
 */
public record ComparisonResult(String a, String b, List<CostComparison> costs, List<String> doubts) {

    /** With fewer repetitions, even disjoint values come about by chance in more than 5 of 100 cases. */
    static final int LEAST_TO_JUDGE = 4;

    /** Keeps unmodifiable copies. */
    public ComparisonResult {
        costs = List.copyOf(costs);
        doubts = List.copyOf(doubts);
    }

    /**
     * Fails if the second transport is worse: a cost is higher by more than a percentage, and by more than the noise of
     * the repetitions.
     *
     * @param percent by how much a cost may be higher, 0 to 1,000
     * @throws AssertionError if a cost is worse, or there are too few repetitions to decide; the first line is the
     *     answer
     * @throws IllegalArgumentException if the percentage is out of range
     */
    public void assertNotWorse(double percent) {
        requirePercent(percent);
        Optional<CostComparison> worst = costs.stream()
                .filter(cost -> cost.isWorse(percent))
                .max(Comparator.comparingDouble(CostComparison::morePercent));
        Optional<CostComparison> unclear =
                costs.stream().filter(cost -> !cost.canTell()).findFirst();
        if (worst.isPresent()) {
            throw failure(
                    String.format(Locale.ROOT, "%s is worse than %s by more than %s %%: ", b, a, percent(percent)),
                    worst.get(),
                    "");
        } else if (unclear.isPresent()) {
            throw failure(
                    "cannot tell whether " + b + " is worse than " + a + ": ",
                    unclear.get(),
                    ": use withRepetitions(" + LEAST_TO_JUDGE + ")");
        }
    }

    private AssertionError failure(String answer, CostComparison first, String advice) {
        return new AssertionError(answer
                + first
                + advice
                + costs.stream()
                        .filter(cost -> !cost.equals(first))
                        .map(cost -> System.lineSeparator() + cost)
                        .collect(Collectors.joining())
                + doubted());
    }

    private String doubted() {
        return doubts.stream()
                .map(doubt -> System.lineSeparator() + "doubted: " + doubt)
                .collect(Collectors.joining());
    }

    static void requirePercent(double percent) {
        Ranges.require("percent", percent, 0, 1000);
    }

    private static String percent(double percent) {
        return percent == Math.rint(percent) ? String.valueOf((long) percent) : String.valueOf(percent);
    }

    /**
     * Returns all costs, for people.
     *
     * @return a line for each, and for each doubt
     */
    @Override
    public String toString() {
        return b + " against " + a + ":"
                + costs.stream().map(cost -> System.lineSeparator() + cost).collect(Collectors.joining())
                + doubted();
    }
}
