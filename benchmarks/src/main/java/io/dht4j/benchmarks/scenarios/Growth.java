package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.scenario.growth.GrowthPlan;
import io.dht4j.benchmarks.scenario.growth.GrowthRun;
import java.io.IOException;
import java.util.List;

/** Measures the effect on clients while a cluster of three nodes grows to four, and the moved data. */
public final class Growth implements Scenario {

    /** Creates the scenario. */
    public Growth() {}

    @Override
    public String name() {
        return "growth";
    }

    @Override
    public String question() {
        return "What do clients notice while a cluster of three nodes grows to four?";
    }

    @Override
    public KeyFigure keyFigure() {
        return KeyFigure.values().in("p99");
    }

    @Override
    public List<Parameter> parameters() {
        return GrowthPlan.parameters();
    }

    @Override
    public void check(Settings settings) {
        GrowthPlan.of(settings);
    }

    @Override
    public Needs needs(Settings settings) {
        return GrowthPlan.of(settings).needs();
    }

    @Override
    public void run(RunContext context) throws IOException, InterruptedException {
        new GrowthRun(context, GrowthPlan.of(context)).run();
    }
}
