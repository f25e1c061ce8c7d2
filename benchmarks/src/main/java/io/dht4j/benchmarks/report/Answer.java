package io.dht4j.benchmarks.report;

import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Results;
import io.dht4j.benchmarks.results.Spread;
import io.dht4j.lab.internal.verdict.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The answer to a run's question, in words: the conclusion of the scenario, if it has one, and for each group the best
 * variant, its figure, and whether its lead exceeds the noise of the repetitions.
 *
 * <p>A lead exceeds the noise if the ranges of the repetitions are disjoint, and if there are enough of them for chance
 * to make such a difference in fewer than 5 of 100 cases.
 *
 * @param sentences the conclusion, and one for each group that answers
 */
public record Answer(List<String> sentences) {

    /** The least number of repetitions on each side whose disjoint ranges exclude chance. */
    public static final int ENOUGH_REPETITIONS = 4;

    /** The remedy for too few repetitions. */
    public static final String ADVICE = "use --repetitions " + ENOUGH_REPETITIONS;

    private static final int SHOWN = 3;

    /** Keeps an unmodifiable copy. */
    public Answer {
        sentences = List.copyOf(sentences);
    }

    /** Returns the answer of some results. A pure function. */
    public static Answer of(Results results) {
        List<String> sentences = new ArrayList<>();
        if (!results.conclusion().isEmpty()) {
            sentences.add(results.conclusion());
        }
        for (Map.Entry<String, List<Measurement>> group :
                ReportView.groups(results).entrySet()) {
            if (results.keyFigure().answersIn(group.getValue())) {
                sentences.add(sentence(KeyGroup.of(results.keyFigure(), group.getKey(), group.getValue())) + ".");
            }
        }
        if (sentences.isEmpty()) {
            sentences.add("No answer: nothing was measured.");
        } else if (!results.complete()) {
            sentences.set(0, "Incomplete, so far: " + sentences.get(0));
        }
        return new Answer(sentences);
    }

    /** Returns the sentences, each on a line of its own. */
    public String text() {
        return String.join("\n", sentences);
    }

    private static String sentence(KeyGroup group) {
        List<KeyGroup.Figure> trusted =
                group.figures().stream().filter(figure -> !figure.doubted()).toList();
        List<KeyGroup.Figure> doubted =
                group.figures().stream().filter(KeyGroup.Figure::doubted).toList();
        if (group.figures().isEmpty()) {
            return group.title() + ": not measured";
        }
        if (trusted.isEmpty()) {
            return group.title() + ": every figure is doubted; " + ranking(group, doubted);
        }
        return group.title() + ": " + ranking(group, trusted)
                + (doubted.isEmpty() ? "" : leftOut(trusted) + "; doubted and left out: " + best(group, doubted));
    }

    private static String leftOut(List<KeyGroup.Figure> trusted) {
        return trusted.size() == 1 ? ", with nothing to compare it with" : "";
    }

    private static String ranking(KeyGroup group, List<KeyGroup.Figure> figures) {
        KeyGroup.Figure best = figures.get(0);
        if (figures.size() == 1) {
            return shown(group, best) + range(best);
        }
        List<KeyGroup.Figure> following = figures.subList(1, figures.size());
        List<KeyGroup.Figure> equals = new ArrayList<>(List.of(best));
        List<KeyGroup.Figure> others = new ArrayList<>();
        for (KeyGroup.Figure figure : following) {
            (lead(best, figure) == Lead.WITHIN_NOISE ? equals : others).add(figure);
        }
        String last = group.isCost() ? "dearest" : group.moreIsBetter() ? "lowest" : "highest";
        if (equals.size() == 1) {
            String first = group.isCost() ? "cheapest" : group.moreIsBetter() ? "highest" : "lowest";
            return shown(group, best) + ": " + first + ", " + words(best, following) + "; "
                    + rest(group, following, last);
        }
        // Single values do not show the noise.
        boolean isOnce = equals.stream().allMatch(figure -> figure.values().size() == 1);
        return best(group, equals)
                + (isOnce ? ": equal" : ": within noise")
                + (others.isEmpty() ? "" : "; " + rest(group, others, last));
    }

    /** Names the best of some, and the number of the others, so that a line stays short. */
    private static String best(KeyGroup group, List<KeyGroup.Figure> figures) {
        return figures.stream().limit(SHOWN).map(figure -> shown(group, figure)).collect(Collectors.joining(", "))
                + (figures.size() > SHOWN ? " and " + (figures.size() - SHOWN) + " more" : "");
    }

    /** Names the next one and the last one. */
    private static String rest(KeyGroup group, List<KeyGroup.Figure> others, String last) {
        String lastOne = shown(group, others.get(others.size() - 1)) + ": " + last;
        return others.size() == 1 ? lastOne : "next " + shown(group, others.get(0)) + "; " + lastOne;
    }

    /** The certainty of the lead of the best one. */
    private enum Lead {
        BEYOND_NOISE,
        WITHIN_NOISE,
        TOO_FEW_REPETITIONS
    }

    private static Lead lead(KeyGroup.Figure best, KeyGroup.Figure other) {
        if (best.values().size() == 1 && other.values().size() == 1) {
            return best.values().equals(other.values()) ? Lead.WITHIN_NOISE : Lead.TOO_FEW_REPETITIONS;
        }
        Spread a = best.spread();
        Spread b = other.spread();
        if (a.least() <= b.greatest() && b.least() <= a.greatest()) {
            return Lead.WITHIN_NOISE;
        }
        return Verdict.of(best.values(), other.values()).verdict() == Verdict.CANNOT_TELL
                ? Lead.TOO_FEW_REPETITIONS
                : Lead.BEYOND_NOISE;
    }

    private static String words(KeyGroup.Figure best, List<KeyGroup.Figure> following) {
        if (following.stream().allMatch(figure -> lead(best, figure) == Lead.BEYOND_NOISE)) {
            return "beyond noise";
        }
        boolean isOnce = best.values().size() == 1
                && following.stream().allMatch(figure -> figure.values().size() == 1);
        return (isOnce ? "but one repetition leaves the noise unknown (" : "but too few repetitions to exclude noise (")
                + ADVICE + ")";
    }

    private static String shown(KeyGroup group, KeyGroup.Figure figure) {
        return figure.variant() + " " + Figures.of(figure.spread().median()) + group.unit() + figure.beside();
    }

    private static String range(KeyGroup.Figure figure) {
        return figure.values().size() == 1
                ? ""
                : " (" + Figures.of(figure.spread().least()) + " to "
                        + Figures.of(figure.spread().greatest()) + ")";
    }
}
