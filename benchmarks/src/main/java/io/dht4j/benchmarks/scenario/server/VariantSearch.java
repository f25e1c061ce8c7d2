package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.results.LoadLevel;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.stable.Probe;
import io.dht4j.benchmarks.stable.StableLoad;
import io.dht4j.benchmarks.stable.StableLoadSearch;
import io.dht4j.lab.internal.load.LoadDriver;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.Operation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Searches for the stable load of a running cluster at an operation. */
final class VariantSearch {

    /** Later searches begin slightly below the earlier result. */
    private static final double NEAR = 0.7;

    private VariantSearch() {}

    /**
     * Searches, and adds the result. Blocks.
     *
     * @param repetition distinguishes the keys of several searches
     */
    static void run(CaseCluster cluster, Operation operation, int repetition, VariantResults results)
            throws IOException, InterruptedException {
        ServerPlan plan = cluster.of().plan();
        double first = plan.pace().search().first();
        double from = Math.max(first, NEAR * results.stableLoad().orElse(0));
        List<String> ofTheLimit = new ArrayList<>();
        LoadDriver pinging = spec -> {
            LoadResult result = cluster.run(spec);
            if (result.failed() > 0) {
                cluster.nodes().ping();
            }
            return result;
        };
        StableLoad stable = StableLoadSearch.find(pinging, plan.search(operation, from, repetition), probe -> {
            // Later runs at parts of the result have doubts of their own.
            if (!probe.stable() && probe.phase() != Probe.Phase.LEVEL) {
                ofTheLimit.clear();
                ofTheLimit.addAll(probe.result().conditions().rateDoubts());
            }
        });
        cluster.nodes().ping();
        ofTheLimit.forEach(doubt -> results.doubt(Measurement.OF_THE_LIMIT + doubt));
        results.addStableLoad(stable.perSecond());
        if (!stable.found()) {
            results.doubt("no rate was stable, down to a small part of " + first + " per second");
        }
        if (stable.atLeast()) {
            results.doubt(Measurement.AT_LEAST);
        }
        stable.levels().stream()
                .filter(level -> level.percent() == LoadLevel.ALL)
                .flatMap(level -> level.result().conditions().rateDoubts().stream())
                .forEach(doubt -> results.doubt(Measurement.OF_THE_STABLE_LOAD + doubt));
        if (!results.hasLevels()) {
            results.setLevels(stable.levels());
        }
    }
}
