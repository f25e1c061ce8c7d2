package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.process.InstalledDht;
import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures how long an installed server and a short command take to start, with an archive of classes and without. */
public final class Start implements Scenario {

    private static final String READY = "server ready";
    private static final String GET = "dht get";
    private static final String RESIDENT = "idle server";

    @Override
    public String name() {
        return "start";
    }

    @Override
    public String question() {
        return "How fast do an installed server and a command start, with an archive of classes and without?";
    }

    @Override
    public KeyFigure keyFigure() {
        return KeyFigure.values().in(READY);
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.of("installation", "directory of the unpacked archive", "/opt/dht4j"),
                new Parameter("repetitions", "starts of each variant, in turns, 1 to 100", "5", "20"));
    }

    @Override
    public void check(Settings settings) {
        installation(settings);
        repetitions(settings);
    }

    private static Path installation(Settings settings) {
        return Path.of(settings.text("installation"));
    }

    private static int repetitions(Settings settings) {
        return (int) settings.number("repetitions", 1, 100);
    }

    @Override
    public void run(RunContext context) throws Exception {
        int repetitions = repetitions(context);
        context.note("Times begin with the call of the launcher. The server has one node and an empty store. The JVM is"
                + " the one that runs this experiment.");
        context.plan(1 + 2 * (repetitions + 1));
        InstalledDht without = InstalledDht.withoutArchive(installation(context), context.scratch());
        context.step("making the archive");
        Map<String, InstalledDht> variants = new LinkedHashMap<>();
        variants.put("with archive", without.makeArchive());
        variants.put("without", without);
        Map<String, List<InstalledDht.Start>> starts = new LinkedHashMap<>();
        int count = 0;
        for (int repetition = 0; repetition <= repetitions; repetition++) {
            for (Map.Entry<String, InstalledDht> variant : variants.entrySet()) {
                context.step(variant.getKey() + ", repetition " + repetition);
                InstalledDht.Start start =
                        variant.getValue().start(context.scratch().resolve("data" + count++));
                // The first turn fills the system's cache of files.
                if (repetition > 0) {
                    List<InstalledDht.Start> all = starts.computeIfAbsent(variant.getKey(), name -> new ArrayList<>());
                    all.add(start);
                    report(context, variant.getKey(), all);
                }
            }
        }
    }

    private static void report(RunContext context, String variant, List<InstalledDht.Start> starts) {
        context.add(measurement(
                READY,
                variant,
                "ms",
                starts.stream().map(InstalledDht.Start::readyMillis).toList()));
        context.add(measurement(
                GET,
                variant,
                "ms",
                starts.stream().map(InstalledDht.Start::getMillis).toList()));
        List<Double> resident = starts.stream()
                .map(InstalledDht.Start::residentMib)
                .filter(mib -> !mib.isNaN())
                .toList();
        if (!resident.isEmpty()) {
            context.add(measurement(RESIDENT, variant, "MiB resident", resident));
        }
    }

    private static Measurement measurement(String group, String variant, String unit, List<Double> values) {
        return new Measurement(group, variant, unit, false, values, Map.of("classes", variant), List.of());
    }
}
