package io.dht4j.lab.compare;

import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.counters.ProcessCounters;
import io.dht4j.lab.internal.load.CompilerWork;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.lab.internal.load.WarmUp;
import io.dht4j.lab.internal.load.open.OpenLoad;
import io.dht4j.lab.internal.load.open.ValidityWarnings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** Runs a comparison. Confined to one thread. */
final class ComparisonRun {

    private static final Operation HALF_AND_HALF = new Operation("puts and gets", "get=50,put=50", "uniform", 1);
    private static final int MAX_IN_FLIGHT = 1024;
    private static final double TURN_SECONDS = 1;
    /** The greatest warm-up as a multiple of the least. */
    private static final int LONGEST_WARM_UP = 4;
    /** Costs, not latencies, are compared: an operation that begins late, after a pause of the machine, counts. */
    private static final Duration MOST_LATE = Duration.ofSeconds(10);
    /** The part of the offered operations that may be left out. */
    private static final double MAX_NOT_SENT = 0.02;

    private final TransportComparison comparison;
    private final ProcessCounters counters;
    private Counters atEnd = new Counters(Map.of());
    private long seed;

    private ComparisonRun(TransportComparison comparison, ProcessCounters counters) {
        this.comparison = comparison;
        this.counters = counters;
    }

    /** The costs of one transport, repetition by repetition. */
    private static final class Costs {

        private final MeasuredNodes nodes;
        private final List<Double> cpuMicros = new ArrayList<>();
        private final List<Double> bytes = new ArrayList<>();
        private double stolenPercent;
        private final CompilerWork compilers = new CompilerWork();

        private Costs(MeasuredNodes nodes) {
            this.nodes = nodes;
        }

        /** Adds a repetition with its costs, and the doubts about them. */
        private void add(LoadResult result, Counters spent) {
            double operations = result.served();
            Long cpu = spent.values().get(Cost.CPU_MICROS);
            if (cpu != null) {
                cpuMicros.add(cpu / operations);
            }
            bytes.add(spent.values().getOrDefault(Cost.BYTES_ALLOCATED, 0L) / operations);
            stolenPercent = Math.max(stolenPercent, result.conditions().stolenPercent());
            compilers.add(spent, result.tookSeconds());
        }

        /** Returns the doubts about costs; those about the begin of operations concern latencies alone. */
        private Stream<String> doubts() {
            ValidityWarnings warnings = new ValidityWarnings();
            warnings.stolen(stolenPercent);
            return Stream.concat(warnings.found().stream(), compilers.doubt("this JVM").stream())
                    .map(doubt -> nodes.name() + ": " + doubt);
        }
    }

    static ComparisonResult of(TransportComparison comparison) {
        try (MeasuredNodes a = MeasuredNodes.start(comparison.a(), comparison.valueBytes());
                MeasuredNodes b = MeasuredNodes.start(comparison.b(), comparison.valueBytes());
                ProcessCounters counters = new ProcessCounters()) {
            return new ComparisonRun(comparison, counters).run(a, b);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the comparison was interrupted", e);
        }
    }

    private ComparisonResult run(MeasuredNodes a, MeasuredNodes b) throws InterruptedException {
        List<Costs> both = List.of(new Costs(a), new Costs(b));
        warmUp(List.of(a, b));
        for (int repetition = 0; repetition < comparison.repetitions(); repetition++) {
            for (int i = 0; i < both.size(); i++) {
                measure(both.get((i + repetition) % both.size()));
            }
        }
        Costs standard = both.get(0);
        Costs judged = both.get(1);
        List<CostComparison> costs = new ArrayList<>();
        if (!standard.cpuMicros.isEmpty()) {
            costs.add(new CostComparison("processor time per operation", "µs", standard.cpuMicros, judged.cpuMicros));
        }
        costs.add(new CostComparison("bytes allocated per operation", "bytes", standard.bytes, judged.bytes));
        return new ComparisonResult(
                comparison.a().name(),
                comparison.b().name(),
                costs,
                both.stream().flatMap(Costs::doubts).toList());
    }

    /** Runs both loads in turns until the compilers rest or the time is over. */
    private void warmUp(List<MeasuredNodes> both) throws InterruptedException {
        double least = comparison.warmUpSeconds();
        if (least == 0) {
            return;
        }
        double turn = Math.min(least, TURN_SECONDS);
        List<WarmUp.Turn<RuntimeException>> turns = new ArrayList<>();
        for (MeasuredNodes nodes : both) {
            turns.add(() -> {
                load(nodes, turn);
                return turn;
            });
        }
        new WarmUp<RuntimeException>(both.size() * LONGEST_WARM_UP * least, counters::read, System::nanoTime)
                .run(both.size() * least, turns);
    }

    private void measure(Costs costs) throws InterruptedException {
        Counters before = counters.read();
        LoadResult result = load(costs.nodes, comparison.seconds());
        requireHeld(costs.nodes.name(), result);
        costs.add(result, atEnd.since(before));
    }

    private LoadResult load(MeasuredNodes nodes, double seconds) throws InterruptedException {
        return OpenLoad.on(nodes)
                .givingUpAfter(MOST_LATE)
                .beforeThreadsEnd(() -> atEnd = counters.read())
                .run(new LoadSpec(
                        HALF_AND_HALF,
                        comparison.perSecond(),
                        0,
                        seconds,
                        MeasuredNodes.KEYS,
                        MAX_IN_FLIGHT,
                        1,
                        seed++));
    }

    /** A cost per operation is meaningless if the two served different loads. */
    private void requireHeld(String name, LoadResult result) {
        if (result.failed() > 0 || result.notSent() > MAX_NOT_SENT * result.offered()) {
            throw new IllegalStateException(String.format(
                    Locale.ROOT,
                    "%s does not hold %,.0f operations per second: of %,d offered %,d failed %s and %,d were not sent; "
                            + "use withRate for a lower rate",
                    name,
                    comparison.perSecond(),
                    result.offered(),
                    result.failed(),
                    result.errors(),
                    result.notSent()));
        }
    }
}
