package io.dht4j.benchmarks.report;

import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Spread;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Bars of the medians of a group, one below the other, with the range of the repetitions and each of them, under the
 * names that the templates use. Horizontal positions are percentages, so that texts have one size in any width.
 *
 * @param title the subject of the comparison
 * @param unit of the figures; empty for a count
 * @param better the direction, in words
 * @param plot the height of the bars with their names, in pixels
 * @param height the height of all, in pixels
 * @param ticks of the axis
 * @param bars best first
 */
record BarChart(String title, String unit, String better, int plot, int height, List<Tick> ticks, List<Bar> bars) {

    /** The number of colours in {@code chart.css}. */
    static final int COLOURS = 14;

    private static final int ROW = 38;
    private static final int FIRST = 24;
    private static final int BELOW_LAST = 10;
    private static final int AXIS = 20;

    /** A figure on the axis. */
    record Tick(String at, String label, String anchor) {}

    /**
     * A variant's bar.
     *
     * @param colour its number, the same in all charts of a page
     * @param y its middle
     * @param range of the repetitions; empty if there is one
     */
    record Bar(
            String variant,
            int colour,
            int y,
            String median,
            String range,
            boolean doubted,
            String zeroAt,
            String medianAt,
            String leastAt,
            String greatestAt,
            List<String> valuesAt) {}

    /**
     * Returns the chart of a group.
     *
     * @param variants of the whole run, for the colours
     */
    static BarChart of(KeyGroup group, List<String> variants) {
        Scale scale = Scale.of(group);
        List<Bar> bars = new ArrayList<>();
        for (KeyGroup.Figure figure : group.figures()) {
            bars.add(bar(figure, variants.indexOf(figure.variant()) % COLOURS, FIRST + ROW * bars.size(), scale));
        }
        int plot = FIRST + ROW * (bars.size() - 1) + BELOW_LAST;
        String unit = group.unit().equals("/s")
                ? Measurement.PER_SECOND
                : group.unit().strip();
        String better = group.moreIsBetter() ? "More is better" : "Less is better";
        return new BarChart(group.title(), unit, better, plot, plot + AXIS, scale.ticks(), bars);
    }

    private static Bar bar(KeyGroup.Figure figure, int colour, int y, Scale scale) {
        Spread spread = figure.spread();
        boolean isOnce = figure.values().size() == 1;
        return new Bar(
                figure.variant(),
                colour,
                y,
                Figures.of(spread.median()),
                isOnce ? "" : Figures.of(spread.least()) + "–" + Figures.of(spread.greatest()),
                figure.doubted(),
                scale.at(0),
                scale.at(spread.median()),
                scale.at(spread.least()),
                scale.at(spread.greatest()),
                figure.values().stream().map(scale::at).toList());
    }

    /** An axis that includes zero and ends at round figures. */
    private record Scale(double step, long first, long last) {

        /** The steps of the axis of positive figures, at most: their labels fit on narrow pages. */
        private static final int STEPS = 4;

        /** Room for the greatest figure's mark. */
        private static final double ROOM = 1.02;

        static Scale of(KeyGroup group) {
            List<Double> values = group.figures().stream()
                    .flatMap(figure -> figure.values().stream())
                    .toList();
            Spread all =
                    Spread.of(Stream.concat(Stream.of(0.0), values.stream()).toList());
            if (all.greatest() == all.least()) {
                return new Scale(1, 0, 1);
            }
            double step = round((all.greatest() - all.least()) * ROOM / STEPS);
            return new Scale(
                    step, (long) Math.floor(all.least() * ROOM / step), (long) Math.ceil(all.greatest() * ROOM / step));
        }

        /** Returns the next round figure. */
        private static double round(double step) {
            double power = Math.pow(10, Math.floor(Math.log10(step)));
            return Stream.of(1.0, 2.0, 2.5, 5.0)
                    .map(digits -> digits * power)
                    .filter(rounded -> rounded >= step)
                    .findFirst()
                    .orElse(10 * power);
        }

        /** Returns the position of a figure, in percent of the width. */
        String at(double value) {
            return String.format(Locale.ROOT, "%.2f", 100 * (value / step - first) / (last - first));
        }

        List<Tick> ticks() {
            DecimalFormat plain = new DecimalFormat("#,##0.#########", DecimalFormatSymbols.getInstance(Locale.ROOT));
            List<Tick> ticks = new ArrayList<>();
            for (long i = first; i <= last; i++) {
                String anchor = i == first ? "start" : i == last ? "end" : "middle";
                ticks.add(new Tick(at(i * step), plain.format(i * step), anchor));
            }
            return ticks;
        }
    }
}
