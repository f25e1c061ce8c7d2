package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.load.closed.InterleavedRuns;
import io.dht4j.benchmarks.load.closed.Variant;
import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Spread;
import io.dht4j.benchmarks.scenario.CandidateParameters;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.transports.BuiltInTransport;
import io.dht4j.benchmarks.transports.TransportVariants;
import io.dht4j.lab.CandidateLoader;
import io.dht4j.lab.TransportCandidate;
import io.dht4j.lab.internal.counters.StolenTime;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Measures each transport beside its bare library, with and without batching, and beside Infinispan. Closed loops on
 * nodes in this process, in rotating order.
 */
public final class Transports implements Scenario {

    private static final String PUT = "PUT";
    private static final String BASELINE = "tcp";
    private static final String OF_ECHOES = "of its library's echoes";

    /** Creates the scenario. */
    public Transports() {}

    @Override
    public String name() {
        return "transports";
    }

    @Override
    public String question() {
        return "What does each transport cost beside the bare library that it is made of?";
    }

    @Override
    public KeyFigure keyFigure() {
        return KeyFigure.values().in(PUT);
    }

    @Override
    public List<Parameter> parameters() {
        String all = String.join(",", BuiltInTransport.names());
        return List.of(
                Parameter.list("transports", "variants", BuiltInTransport.names(), "vertx,grpc-stream,tcp", all),
                CandidateParameters.with(),
                CandidateParameters.transportClass(),
                Parameter.of("in-flight", "operations in flight, 1 to 4096", "64"),
                Parameter.of("value-bytes", "size of a value, 0 to 1,048,576", "100"),
                Parameter.of("keys", "number of keys, 1 to 1,000,000", "20000"),
                new Parameter("warm-up", "least seconds of each before measuring, 0.1 to 600", "2", "10"),
                new Parameter(
                        "warm-up-limit",
                        "greatest seconds of each before measuring, if the compilers stay busy, 0 to 3600",
                        "4",
                        "40"),
                new Parameter("seconds", "length of a repetition, 0.1 to 600", "0.75", "4"),
                new Parameter("repetitions", "measurements of each variant, in turns, 1 to 100", "4", "5"));
    }

    @Override
    public void check(Settings settings) {
        CandidateParameters.transportClasses(settings, BuiltInTransport.names());
        comparison(settings);
        spec(settings, List.of());
    }

    @Override
    public void run(RunContext context) throws Exception {
        InterleavedRuns comparison = comparison(context);
        context.note("Nodes, clients and load share one process, whose costs the tables show. A put sends two "
                + "requests, so half of the echoes is about what un-batched puts can reach.");
        context.note("The loop is closed, so all processors are busy: processor time per operation falls as the rate "
                + "rises, and says what an operation costs at the highest rate, not at yours. For costs at one rate, "
                + "see the scenario clients.");
        try (CandidateLoader loader = CandidateParameters.loader(context.text(CandidateParameters.WITH));
                TransportVariants running = TransportVariants.start(
                        spec(context, CandidateParameters.transports(context, loader, BuiltInTransport.names())))) {
            List<Shown> all = shown(running);
            IdentityHashMap<Variant, Shown> shown = new IdentityHashMap<>();
            all.forEach(each -> shown.put(each.measured(), each));
            List<Variant> variants = running.all();
            context.plan(1 + variants.size() * comparison.repetitions());
            context.step("warming up");
            comparison.run(variants, (variant, stolenPercent) -> {
                Shown of = Objects.requireNonNull(shown.get(variant));
                context.step(of.variant() + ", " + of.group());
                if (stolenPercent > StolenTime.MUCH_PERCENT) {
                    of.doubts()
                            .add(String.format(
                                    Locale.ROOT,
                                    "%.1f %% of the processors' time went to others on this host",
                                    stolenPercent));
                }
                add(context, of);
            });
            // Ratios lack the variants that were measured later.
            all.forEach(each -> add(context, each));
        }
    }

    /**
     * A variant in the report.
     *
     * @param others whose rates its own is a part of, by the words for it
     */
    private record Shown(
            Variant measured, String group, String variant, Map<String, Variant> others, Set<String> doubts) {

        static Shown of(Variant measured, String group, String variant, Map<String, Variant> others) {
            return new Shown(measured, group, variant, others, new LinkedHashSet<>());
        }
    }

    private static List<Shown> shown(TransportVariants running) {
        Optional<TransportVariants.Row> baseline = running.rows().stream()
                .filter(row -> row.name().equals(BASELINE))
                .findFirst();
        List<Shown> shown = new ArrayList<>();
        for (TransportVariants.Row row : running.rows()) {
            row.bare().ifPresent(bare -> shown.add(Shown.of(bare, "ECHO, bare library", row.name(), Map.of())));
            shown.add(Shown.of(
                    row.unbatched(),
                    PUT + ", un-batched",
                    row.name(),
                    others(row, baseline.map(TransportVariants.Row::unbatched))));
            shown.add(Shown.of(
                    row.batched(),
                    PUT + ", batched",
                    row.name(),
                    others(row, baseline.map(TransportVariants.Row::batched))));
        }
        String toAll = PUT + ", batched, to all three";
        List<Variant> pair = running.threeOfThree();
        shown.add(Shown.of(pair.get(0), toAll, "dht4j over " + TransportVariants.COMPARED, Map.of()));
        shown.add(Shown.of(pair.get(1), toAll, "Infinispan", Map.of()));
        return shown;
    }

    private static Map<String, Variant> others(TransportVariants.Row row, Optional<Variant> baseline) {
        Map<String, Variant> others = new LinkedHashMap<>();
        row.bare().ifPresent(bare -> others.put(OF_ECHOES, bare));
        if (!row.name().equals(BASELINE)) {
            baseline.ifPresent(tcp -> others.put("of " + BASELINE, tcp));
        }
        return others;
    }

    private static void add(RunContext context, Shown shown) {
        Map<String, Double> ratios = new LinkedHashMap<>();
        shown.others().forEach((words, other) -> {
            // Later variants have no repetition yet, and one may have ended no operation in its time.
            double rate =
                    other.values().isEmpty() ? 0 : Spread.of(other.values()).median();
            if (rate > 0) {
                ratios.put(words, Spread.of(shown.measured().values()).median() / rate);
            }
        });
        List<String> doubts = new ArrayList<>(shown.doubts());
        shown.measured().doubtOfCompilers().ifPresent(doubts::add);
        shown.measured().doubtOfFailures().ifPresent(doubts::add);
        context.add(new Measurement(
                shown.group(),
                shown.variant(),
                Measurement.PER_SECOND,
                true,
                shown.measured().values(),
                Map.of(),
                ratios,
                List.of(),
                shown.measured().costs(),
                0,
                List.of(),
                doubts));
    }

    private static List<TransportCandidate> transports(Settings settings, List<TransportCandidate> own) {
        return Stream.concat(
                        settings.names("transports", BuiltInTransport.names()).stream()
                                .map(BuiltInTransport::named),
                        own.stream())
                .toList();
    }

    private static InterleavedRuns comparison(Settings settings) {
        return new InterleavedRuns(
                (int) settings.number("in-flight", 1, 4096),
                settings.decimal("warm-up", 0.1, 600),
                settings.decimal("warm-up-limit", 0, 3600),
                settings.decimal("seconds", 0.1, 600),
                (int) settings.number("repetitions", 1, 100));
    }

    private static TransportVariants.Spec spec(Settings settings, List<TransportCandidate> own) {
        return new TransportVariants.Spec(
                transports(settings, own),
                (int) settings.number("in-flight", 1, 4096),
                (int) settings.number("value-bytes", 0, 1 << 20),
                (int) settings.number("keys", 1, 1_000_000));
    }
}
