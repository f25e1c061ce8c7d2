package io.dht4j.benchmarks.report;

import io.dht4j.benchmarks.results.Results;
import io.dht4j.benchmarks.results.ResultsFile;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The files of a report: {@code results.json}, {@code report.md}, {@code report.html} and {@code chart.svg}. */
public final class Report {

    /** The page's name in a report's directory. */
    public static final String PAGE = "report.html";

    /** The text's name in a report's directory. */
    public static final String TEXT = "report.md";

    /** The picture's name in a report's directory. */
    public static final String PICTURE = "chart.svg";

    /** The omissions of a scenario's short form. */
    public static final String SHORT_FORM = "The short form: few variants, and processes that start once. "
            + "It does not show how processes of the same variant differ.";

    private Report() {}

    /**
     * Writes the files and replaces earlier ones atomically. An interrupt of the thread does not stop it.
     *
     * @param directory exists
     * @param results to show
     * @throws IOException if writing a file fails
     */
    public static void write(Path directory, Results results) throws IOException {
        write(directory, ResultsFile.NAME, ResultsFile.format(results));
        ReportView view = ReportView.of(results);
        write(directory, TEXT, Templates.markdown(view));
        write(directory, PICTURE, Templates.svg(ChartPicture.of(view)));
        write(directory, PAGE, Templates.html(view, ChartData.of(results)));
    }

    private static void write(Path directory, String name, String text) throws IOException {
        Path next = directory.resolve(name + ".new");
        // Streams, since an interrupt of the thread closes channels.
        try (OutputStream out = new FileOutputStream(next.toFile())) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        Files.move(next, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }
}
