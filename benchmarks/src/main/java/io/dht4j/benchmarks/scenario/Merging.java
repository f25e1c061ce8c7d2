package io.dht4j.benchmarks.scenario;

import io.dht4j.benchmarks.merge.MergeBenchmark;
import io.dht4j.benchmarks.report.Measurement;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** How a read keeps the newest of its replicas' answers. */
enum Merging {
    ARRAY,
    COMPARE_AND_SET;

    String label() {
        return this == ARRAY ? "by an array" : "by compare-and-set";
    }

    /** What merging three answers takes, with two threads at it, each with reads of its own. Blocks. */
    Measurement measure(boolean quick) throws IOException {
        return new Measurement(
                "merging three answers",
                label(),
                "ns",
                false,
                JmhRun.nanos(MergeBenchmark.class, Map.of("way", name().toLowerCase(Locale.ROOT)), quick),
                Map.of("measured by", "JMH, MergeBenchmark"),
                List.of(),
                Map.of(),
                List.of(),
                List.of());
    }
}
