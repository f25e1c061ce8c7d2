package io.dht4j.benchmarks.compare;

import io.dht4j.lab.internal.verdict.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A comparison as plain text and as Markdown. */
final class TextFormats {

    private TextFormats() {}

    static String text(Comparison comparison) {
        List<String> lines = new ArrayList<>();
        lines.add(comparison.summary());
        lines.add("");
        lines.add("A: " + Comparison.name(comparison.a()));
        lines.add("B: " + Comparison.name(comparison.b()));
        lines.add("");
        List<String> changes = RunDifferences.changes(comparison.a(), comparison.b());
        lines.add(circumstances(changes));
        changes.forEach(change -> lines.add("  " + change));
        lines.add("");
        for (ComparedFigure figure : comparison.figures()) {
            lines.add(figure.title() + ": " + figure.change() + ": " + figure.verdict());
            figure.remarks().forEach(remark -> lines.add("    " + remark));
        }
        lines.addAll(comparison.incomparable());
        lines.add("");
        lines.add(String.format(
                Locale.ROOT,
                "\"Beyond noise\": the repetitions come out so by chance in less than %.0f of 100 cases, by the "
                        + "Mann-Whitney U test.",
                100 * Verdict.LIKELY));
        lines.add("Repetitions of one run share their hour: repeat both runs, in turns, before you believe a small "
                + "difference.");
        return String.join("\n", lines) + "\n";
    }

    private static String circumstances(List<String> changes) {
        return changes.isEmpty()
                ? "Same build, same parameters, same kind of machine."
                : "Not the same, so the figures may differ for these reasons:";
    }

    static String markdown(Comparison comparison) {
        List<String> lines = new ArrayList<>();
        lines.add("**" + comparison.summary() + "**");
        lines.add("");
        lines.add("A: " + cell(Comparison.name(comparison.a())) + "; B: " + cell(Comparison.name(comparison.b())));
        lines.add("");
        lines.add("| group | variant | figure | A | B | change | verdict |");
        lines.add("|---|---|---|---:|---:|---:|---|");
        for (ComparedFigure figure : comparison.figures()) {
            lines.add("| "
                    + String.join(
                            " | ",
                            cell(figure.group()),
                            cell(figure.variant()),
                            cell(figure.quantity()),
                            ComparedFigure.text(figure.before()),
                            ComparedFigure.text(figure.after()),
                            figure.changeText(),
                            figure.verdict() + (figure.remarks().isEmpty() ? "" : ", see below"))
                    + " |");
        }
        lines.add("");
        for (ComparedFigure figure : comparison.figures()) {
            figure.remarks().forEach(remark -> lines.add("- " + cell(figure.title() + ": " + remark)));
        }
        comparison.incomparable().forEach(text -> lines.add("- " + cell(text)));
        List<String> changes = RunDifferences.changes(comparison.a(), comparison.b());
        lines.add("- " + circumstances(changes));
        changes.forEach(change -> lines.add("  - " + cell(change)));
        return String.join("\n", lines) + "\n";
    }

    /** A bar ends a table's cell, and a line break its row. */
    private static String cell(String text) {
        return text.replace("|", "\\|").replace("<", "&lt;").replaceAll("\\R", " ");
    }
}
