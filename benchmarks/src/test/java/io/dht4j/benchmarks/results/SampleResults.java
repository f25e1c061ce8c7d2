package io.dht4j.benchmarks.results;

import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.load.Conditions;
import io.dht4j.lab.internal.load.Latency;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;

/** Constant, invented results with every part of a report. */
public final class SampleResults {

    private static final List<String> VARIANTS =
            List.of("vertx", "vertx-pipelined", "vertx-h2", "webclient", "jdk", "jdk-h2", "one-nio", "grpc-stream");
    private static final List<String> LAYERS = List.of(
            "public API",
            "coordinator",
            "codec",
            "transport client",
            "transport server",
            "store",
            "executors and queues",
            "locks",
            "GC and JIT",
            "kernel",
            "profiler",
            "other");
    private static final long OPERATIONS = 200_000;

    /** Made once, since its histograms have millions of values. */
    private static final Results EVERYTHING = create();

    private SampleResults() {}

    /** Returns results of eight variants in two groups. */
    public static Results everything() {
        return EVERYTHING;
    }

    private static Results create() {
        List<Measurement> measurements = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(1);
        for (Operation operation : List.of(Operation.PUT, Operation.GET)) {
            for (int i = 0; i < VARIANTS.size(); i++) {
                measurements.add(measurement(operation, VARIANTS.get(i), 9_000 + 1_500 * i, random));
            }
        }
        return with(measurements);
    }

    /** Returns results with these measurements. */
    public static Results with(List<Measurement> measurements) {
        return with(KeyFigure.cost(Cost.CPU_MICROS), true, measurements);
    }

    /** Returns results with this key figure and these measurements. */
    public static Results with(KeyFigure key, boolean complete, List<Measurement> measurements) {
        return new Results(
                Results.SCHEMA,
                "clients",
                "Which HTTP client costs least between nodes?",
                key,
                "",
                List.of("./dht", "bench", "run", "clients", "--keys", "1000", "--variants", "jdk,one nio"),
                Instant.parse("2026-11-21T10:00:00Z"),
                1234.5,
                complete,
                false,
                Map.of("keys", "1000", "variants", "jdk,one nio"),
                "sha256 0123456789ab",
                new Machine(2, "A processor", 8L << 30, "Linux 6.1 amd64", "OpenJDK 64-Bit Server VM 17.0.15"),
                measurements,
                List.of("The kernel forbids the profiler mode cpu; ctimer was used."),
                List.of(new Link("vertx against jdk, PUT, cpu", "flames/vertx jdk.html")));
    }

    /** Returns a measurement with values only. */
    public static Measurement bare(String group, String variant, Double... values) {
        return new Measurement(group, variant, Measurement.PER_SECOND, true, List.of(values), Map.of(), List.of());
    }

    /** Returns a load of a given cost in processor time, and with given doubts. */
    public static Measurement costing(String group, String variant, List<Double> micros, String... doubts) {
        return new Measurement(
                group,
                variant,
                Measurement.PER_SECOND,
                true,
                List.of(1_000.0),
                Map.of(),
                List.of(),
                micros.isEmpty() ? Map.of() : Map.of(Cost.CPU_MICROS.label(), micros),
                List.of(),
                List.of(doubts));
    }

    /**
     * Returns a load of several kinds of operations at a given rate, with a doubt.
     *
     * @param medianMicros of each kind; the 99th percentile is about twice as much
     */
    public static Measurement mixed(String group, String variant, Map<String, Integer> medianMicros, String doubt) {
        Map<String, Latency> byKind = new LinkedHashMap<>();
        Histogram all = Latency.emptyHistogram();
        medianMicros.forEach((kind, micros) -> {
            Histogram histogram = Latency.emptyHistogram();
            for (int i = 1; i < 200; i++) {
                histogram.recordValue(10L * micros * i);
            }
            all.add(histogram);
            byKind.put(kind, Latency.of(histogram));
        });
        LoadResult result = new LoadResult(
                new LoadSpec(Operation.GET, 1_000, 0, 1, 1_000, 256, 2, 1),
                1,
                all.getTotalCount(),
                all.getTotalCount(),
                0,
                0,
                0,
                Map.of(),
                Latency.of(all),
                byKind,
                new Conditions(0, 0, 0, List.of(doubt), List.of()));
        return new Measurement(
                group,
                variant,
                Measurement.PER_SECOND,
                true,
                List.of(1_000.0),
                Map.of(),
                List.of(new LoadLevel(LoadLevel.ALL, result)),
                Map.of(),
                List.of(),
                List.of(Measurement.OF_THE_COSTS + doubt));
    }

    private static Measurement measurement(Operation operation, String variant, double rate, SplittableRandom random) {
        List<Double> values = around(rate, random);
        List<LoadLevel> levels = new ArrayList<>();
        for (int percent : new int[] {10, 50, 70, 90, 100}) {
            levels.add(new LoadLevel(percent, load(operation, rate * percent / 100, percent, variant, random)));
        }
        Map<String, List<Double>> costs = new LinkedHashMap<>();
        costs.put("bytes allocated", around(5_000 + 20_000 * random.nextDouble(), random));
        costs.put("CPU µs", around(20 + 30 * random.nextDouble(), random));
        costs.put("context switches", around(random.nextDouble(), random));
        costs.put("TCP segments", around(4.0, random));
        return new Measurement(
                        operation.name(),
                        variant,
                        Measurement.PER_SECOND,
                        true,
                        values,
                        Map.of("connections", "64"),
                        levels,
                        costs,
                        List.of(
                                profile("cpu", operation, variant, random),
                                profile("alloc", operation, variant, random)),
                        variant.equals("jdk") ? List.of("the hypervisor took 12 % of the processors' time") : List.of())
                .countedAt(5_000);
    }

    private static List<Double> around(double middle, SplittableRandom random) {
        List<Double> values = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            values.add(middle * (0.9 + 0.2 * random.nextDouble()));
        }
        return values;
    }

    private static LoadResult load(
            Operation operation, double rate, int percent, String variant, SplittableRandom random) {
        Histogram histogram = new Histogram(3);
        for (long i = 0; i < OPERATIONS; i++) {
            double tail = Math.pow(1 / (1 - random.nextDouble()), percent / 200.0);
            histogram.recordValue((long) Math.min(5e9, (200_000 + 60_000 * VARIANTS.indexOf(variant)) * tail));
        }
        boolean isDoubted =
                (variant.equals("one-nio") && percent == 100) || (variant.equals("vertx-h2") && percent == 10);
        double seconds = OPERATIONS / rate;
        return new LoadResult(
                new LoadSpec(operation, rate, 5, seconds, 1_000, 256, 2, 1),
                seconds,
                OPERATIONS,
                OPERATIONS,
                0,
                0,
                0,
                Map.of(),
                Latency.of(histogram),
                Map.of(),
                new Conditions(
                        0.4, 12, 85, isDoubted ? List.of("the generator was 12 ms late") : List.of(), List.of()));
    }

    private static Profile profile(String event, Operation operation, String variant, SplittableRandom random) {
        Map<String, Double> layers = new LinkedHashMap<>();
        double[] weights =
                LAYERS.stream().mapToDouble(layer -> random.nextDouble()).toArray();
        double sum = 0;
        for (double weight : weights) {
            sum += weight;
        }
        for (int i = 0; i < weights.length; i++) {
            layers.put(LAYERS.get(i), weights[i] / sum);
        }
        String file = "flames/" + operation + "-" + variant + "-" + event;
        return new Profile(event, 12_345, layers, file + ".html", file + ".collapsed");
    }
}
