package io.dht4j.benchmarks.report;

import java.util.ArrayList;
import java.util.List;

/**
 * The charts of the answer, one below the other, as a picture of their own, under the names that the template uses.
 *
 * @param report that they are from
 * @param height of the picture, in pixels
 * @param panels one for each chart; may be empty
 */
record ChartPicture(ReportView report, int height, List<Panel> panels) {

    private static final int HEADING = 24;
    private static final int GAP = 20;
    private static final int LEGEND = 24;

    /**
     * A chart below its heading.
     *
     * @param top the y of the heading
     * @param below the y of the chart
     */
    record Panel(int top, int below, BarChart chart) {}

    /** Returns the picture of a report's answer. */
    static ChartPicture of(ReportView report) {
        List<Panel> panels = new ArrayList<>();
        int top = 0;
        for (BarChart chart : report.keyCharts()) {
            panels.add(new Panel(top, top + HEADING, chart));
            top += HEADING + chart.height() + GAP;
        }
        return new ChartPicture(report, top + LEGEND, panels);
    }
}
