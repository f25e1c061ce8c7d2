package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.load.closed.InterleavedRuns;
import io.dht4j.benchmarks.load.closed.Variant;
import io.dht4j.benchmarks.report.KeyFigure;
import io.dht4j.benchmarks.report.Measurement;
import io.dht4j.benchmarks.scenario.CandidateParameters;
import io.dht4j.benchmarks.scenario.Lab;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.transports.BuiltInTransport;
import io.dht4j.benchmarks.transports.TransportVariants;
import io.dht4j.core.options.Batching;
import io.dht4j.lab.CandidateLoader;
import io.dht4j.lab.TransportCandidate;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.counters.StolenTime;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Measures each transport beside its bare library, with and without batching, and beside Infinispan. Closed loops on
 * nodes in this process, in rotating order.
 */
public final class Transports implements Scenario {

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
        return KeyFigure.values();
    }

    @Override
    public List<Parameter> parameters() {
        String all = String.join(",", BuiltInTransport.names());
        return List.of(
                new Parameter(
                        "transports",
                        "variants, separated by commas: " + String.join(", ", BuiltInTransport.names()),
                        "vertx,vertx-h2,grpc-stream",
                        all),
                CandidateParameters.with(),
                CandidateParameters.transportClass(),
                new Parameter("in-flight", "operations in flight, 1 to 4096", "64", "64"),
                new Parameter("value-bytes", "size of a value, 0 to 1,048,576", "100", "100"),
                new Parameter("keys", "number of keys, 1 to 1,000,000", "20000", "20000"),
                new Parameter("warm-up", "seconds of each before measuring, 0.1 to 600", "3", "15"),
                new Parameter("seconds", "length of a repetition, 0.1 to 600", "1", "4"),
                new Parameter("repetitions", "measurements of each variant, in turns, 1 to 100", "3", "5"));
    }

    @Override
    public void check(Settings settings) {
        CandidateParameters.transportClasses(settings, BuiltInTransport.names());
        comparison(settings);
        spec(settings, List.of());
    }

    @Override
    public void run(Lab lab) throws Exception {
        InterleavedRuns comparison = comparison(lab);
        lab.note("Nodes, clients and load share one process. A put sends two requests, so half of R is about what "
                + "U can reach.");
        try (CandidateLoader loader = CandidateParameters.loader(lab.text(CandidateParameters.WITH));
                TransportVariants running = TransportVariants.start(
                        spec(lab, CandidateParameters.transports(lab, loader, BuiltInTransport.names())))) {
            IdentityHashMap<Variant, Shown> shown = shown(running);
            List<Variant> variants = running.all();
            lab.plan(1 + variants.size() * comparison.repetitions());
            lab.step("warming up");
            comparison.run(variants, (variant, stolenPercent) -> {
                Shown of = Objects.requireNonNull(shown.get(variant));
                lab.step(of.variant() + ", " + of.group());
                if (stolenPercent > StolenTime.MUCH_PERCENT) {
                    of.doubts()
                            .add(String.format(
                                    Locale.ROOT,
                                    "%.1f %% of the processors' time went to others on this host",
                                    stolenPercent));
                }
                add(lab, of, variant);
            });
        }
    }

    /** The place of a variant in the report. */
    private record Shown(String group, String variant, Set<String> doubts) {}

    private static IdentityHashMap<Variant, Shown> shown(TransportVariants running) {
        IdentityHashMap<Variant, Shown> shown = new IdentityHashMap<>();
        for (TransportVariants.Row row : running.rows()) {
            row.bare().ifPresent(bare -> put(shown, bare, "R: echoes of the bare library", row.name()));
            put(shown, row.unbatched(), "U: puts at 2/3, a frame each", row.name());
            put(shown, row.batched(), "B: puts at 2/3 with batching", row.name());
        }
        running.threeOfThree().ifPresent(pair -> {
            put(shown, pair.ours(), "puts at 3/3", "dht4j over " + TransportVariants.COMPARED);
            put(shown, pair.theirs(), "puts at 3/3", "Infinispan");
        });
        return shown;
    }

    private static void put(IdentityHashMap<Variant, Shown> shown, Variant variant, String group, String name) {
        shown.put(variant, new Shown(group, name, new LinkedHashSet<>()));
    }

    private static void add(Lab lab, Shown of, Variant variant) {
        lab.add(new Measurement(
                of.group(),
                of.variant(),
                Measurement.PER_SECOND,
                true,
                variant.values(),
                Map.of(),
                List.of(),
                Map.of(Cost.BYTES_ALLOCATED.label(), variant.allocations()),
                List.of(),
                List.copyOf(of.doubts())));
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
                settings.decimal("seconds", 0.1, 600),
                (int) settings.number("repetitions", 1, 100));
    }

    private static TransportVariants.Spec spec(Settings settings, List<TransportCandidate> own) {
        return new TransportVariants.Spec(
                transports(settings, own),
                (int) settings.number("in-flight", 1, 4096),
                (int) settings.number("value-bytes", 0, 1 << 20),
                (int) settings.number("keys", 1, 1_000_000),
                Batching.on(),
                true);
    }
}
