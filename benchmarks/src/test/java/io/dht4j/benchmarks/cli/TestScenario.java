package io.dht4j.benchmarks.cli;

import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;

/** A scenario with given work. */
record TestScenario(Work work, Needs needs) implements Scenario {

    /** The work of a scenario. */
    interface Work {
        void run(RunContext context) throws Exception;
    }

    static List<Scenario> of(Work work) {
        return List.of(new TestScenario(work, new Needs(1, 1)));
    }

    /** Returns a scenario that measures twice, notes, links, and leaves data behind. */
    static List<Scenario> trial() {
        return of(context -> {
            context.plan(2);
            context.step("first");
            context.add(measurement("x", 1.0, 2.0, 3.0));
            context.step("second");
            context.add(measurement("x", 4.0, 5.0, 6.0));
            context.note("a note");
            context.link("a file", context.directory().resolve("file.txt"));
            Files.createDirectory(context.scratch().resolve("data"));
            Files.writeString(context.scratch().resolve("data/file"), "data");
        });
    }

    /** Returns a measurement of some values. */
    static Measurement measurement(String variant, Double... values) {
        return new Measurement("things", variant, Measurement.PER_SECOND, true, List.of(values), Map.of(), List.of());
    }

    @Override
    public String name() {
        return "trial";
    }

    @Override
    public String question() {
        return "Does 100 % of it work?";
    }

    @Override
    public KeyFigure keyFigure() {
        return KeyFigure.values();
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                new Parameter("keys", "how many keys, 1 to 1,000", "10", "100"),
                new Parameter("share", "a share, 0 to 0.5", "0.1", "0.1"),
                new Parameter("kinds", "which kinds: a, b", "a", "a,b"));
    }

    @Override
    public void check(Settings settings) {
        settings.number("keys", 1, 1_000);
        settings.decimal("share", 0, 0.5);
        settings.names("kinds", List.of("a", "b"));
    }

    @Override
    public Needs needs(Settings settings) {
        return needs;
    }

    @Override
    public void run(RunContext context) throws Exception {
        work.run(context);
    }
}
