package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.merge.ContendedMergeBenchmark;
import io.dht4j.benchmarks.merge.MergeBenchmark;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.scenario.JmhRun;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Ways in which a read keeps the newest of its replicas' answers. */
enum Merging {
    /** Three answers; two threads, each with its own reads. */
    ARRAY("by an array", MergeBenchmark.class),
    COMPARE_AND_SET("by compare-and-set", MergeBenchmark.class),
    /** Two answers, each from its own thread at the same moment. */
    MEETING_NOTHING("nothing merged", ContendedMergeBenchmark.class),
    MEETING_ARRAY("by an array", ContendedMergeBenchmark.class),
    MEETING_COMPARE_AND_SET("by compare-and-set", ContendedMergeBenchmark.class);

    private static final String MEETING = "MEETING_";

    private final String label;
    private final Class<?> benchmark;

    Merging(String label, Class<?> benchmark) {
        this.label = label;
        this.benchmark = benchmark;
    }

    private String group() {
        return name().startsWith(MEETING) ? "merging two answers that meet" : "merging three answers";
    }

    /** Returns the ways to measure: of the short form only those of three answers. */
    static List<Merging> ways(boolean quick) {
        return quick ? List.of(ARRAY, COMPARE_AND_SET) : List.of(values());
    }

    String title() {
        return group() + ", " + label;
    }

    /** Measures the merge of one read's answers. Blocks. */
    Measurement measure(boolean quick) throws IOException {
        String way = name().replace(MEETING, "").toLowerCase(Locale.ROOT);
        return new Measurement(
                group(),
                label,
                "ns",
                false,
                JmhRun.nanos(benchmark, Map.of("way", way), List.of(), quick),
                Map.of("measured by", "JMH, " + benchmark.getSimpleName()),
                List.of());
    }
}
