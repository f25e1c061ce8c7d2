package io.dht4j.benchmarks.compare;

import io.dht4j.benchmarks.report.Figures;
import io.dht4j.benchmarks.results.Spread;
import io.dht4j.lab.internal.verdict.Verdict;
import java.util.List;
import java.util.Locale;

/**
 * One figure of a variant in two runs.
 *
 * @param group of the measurement
 * @param variant of the measurement
 * @param figure "value" for the measurement's own values, else the name of a cost
 * @param unit of the values
 * @param moreIsBetter whether a larger value is better
 * @param before the repetitions of the earlier run
 * @param after the repetitions of the later run
 * @param remarks doubts and differing settings, for readers
 */
record ComparedFigure(
        String group,
        String variant,
        String figure,
        String unit,
        boolean moreIsBetter,
        List<Double> before,
        List<Double> after,
        List<String> remarks) {

    /** The figure's name, for the measurement's own values. */
    static final String VALUE = "value";

    /** The result of the repetitions. */
    enum Outcome {
        BETTER("better"),
        WORSE("worse"),
        WITHIN_NOISE("within noise"),
        CANNOT_TELL("cannot tell");

        private final String label;

        Outcome(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }
    }

    ComparedFigure {
        before = List.copyOf(before);
        after = List.copyOf(after);
        remarks = List.copyOf(remarks);
    }

    /** Returns its name for people. */
    String title() {
        return group + ", " + variant + (figure.equals(VALUE) ? "" : ", " + figure);
    }

    /** Returns the unit of its values, or the name of the cost. */
    String quantity() {
        return figure.equals(VALUE) ? unit : figure;
    }

    Outcome outcome() {
        return switch (judged().verdict()) {
            case GREATER -> moreIsBetter ? Outcome.BETTER : Outcome.WORSE;
            case SMALLER -> moreIsBetter ? Outcome.WORSE : Outcome.BETTER;
            case WITHIN_NOISE -> Outcome.WITHIN_NOISE;
            case CANNOT_TELL -> Outcome.CANNOT_TELL;
        };
    }

    /** Returns the probability that chance alone makes such a difference; 1 if it cannot be computed. */
    double probability() {
        return judged().probability();
    }

    private Verdict.Judged judged() {
        return Verdict.of(before, after);
    }

    /** Returns the change of the median in percent; infinite from zero. */
    double changePercent() {
        double a = Spread.of(before).median();
        double b = Spread.of(after).median();
        return a == b ? 0 : 100 * (b / a - 1);
    }

    /** Returns by how many percent the later run is worse, below zero if it is better. */
    double worsePercent() {
        return moreIsBetter ? -changePercent() : changePercent();
    }

    /** Returns whether it is worse by more than the noise and by more than a tolerance in percent. */
    boolean isWorse(double tolerancePercent) {
        return outcome() == Outcome.WORSE && worsePercent() > tolerancePercent;
    }

    /** Returns the verdict in words. */
    String verdict() {
        return switch (outcome()) {
            case BETTER -> "BETTER beyond noise" + chance();
            case WORSE -> "WORSE beyond noise" + chance();
            case WITHIN_NOISE -> "within noise" + chance();
            case CANNOT_TELL -> "cannot tell: too few repetitions (" + before.size() + " and " + after.size() + ")";
        };
    }

    /** Returns the probability of chance, in words behind a figure. */
    String chance() {
        return String.format(Locale.ROOT, " (p = %.3f)", probability());
    }

    /** Returns the figures of both runs and the change. */
    String change() {
        return text(before) + " -> " + text(after) + (unit.isEmpty() ? "" : " " + unit) + ", " + changeText();
    }

    /** Returns the change alone. */
    String changeText() {
        double change = changePercent();
        return Double.isFinite(change) ? String.format(Locale.ROOT, "%+.1f %%", change) : "from nothing";
    }

    /** Returns the median of some repetitions, with their range if there is one. */
    static String text(List<Double> values) {
        Spread spread = Spread.of(values);
        return spread.least() == spread.greatest()
                ? Figures.of(spread.median())
                : Figures.of(spread.median()) + " (" + Figures.of(spread.least()) + " to "
                        + Figures.of(spread.greatest()) + ")";
    }
}
