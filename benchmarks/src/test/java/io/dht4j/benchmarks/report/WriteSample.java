package io.dht4j.benchmarks.report;

import io.dht4j.benchmarks.results.SampleResults;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes a report with every part, for inspection. */
final class WriteSample {

    private WriteSample() {}

    /**
     * Writes it.
     *
     * @param args the directory
     */
    public static void main(String[] args) throws Exception {
        Report.write(Files.createDirectories(Path.of(args[0])), SampleResults.everything());
    }
}
