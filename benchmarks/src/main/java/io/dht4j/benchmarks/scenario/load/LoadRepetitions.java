package io.dht4j.benchmarks.scenario.load;

import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.server.ServerVariant;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Repeats a measurement for each variant: on new nodes in each repetition, in rotating order, or on the one running
 * cluster.
 */
public final class LoadRepetitions {

    /** The variant of a running cluster. */
    public static final String TARGETS = "targets";

    private LoadRepetitions() {}

    /** One measurement. */
    @FunctionalInterface
    public interface Measure {

        /**
         * Measures. Blocks.
         *
         * @param variant name in the report
         * @param shown its settings in the report
         * @param session connected and filled
         * @param repetition from 0
         */
        void of(String variant, Map<String, String> shown, LoadSession session, int repetition)
                throws IOException, InterruptedException;
    }

    /**
     * Runs all. Blocks.
     *
     * @param context the environment
     * @param plan of the load
     * @param variants of nodes of the run; without effect if the plan has targets
     * @param measure called for each variant and repetition
     */
    public static void run(RunContext context, LoadPlan plan, List<ServerVariant> variants, Measure measure)
            throws IOException, InterruptedException {
        int operations = plan.operations().size();
        context.plan(
                plan.targets().isPresent()
                        ? 1 + plan.repetitions() * operations
                        : plan.repetitions() * variants.size() * (1 + operations));
        if (plan.targets().isPresent()) {
            Targets targets = plan.targets().get();
            context.note("The load writes, reads and deletes only keys that begin with " + targets.keyPrefix()
                    + ". The nodes' costs are unknown.");
            Map<String, String> shown = new LinkedHashMap<>();
            shown.put(TARGETS, String.join(" ", targets.addresses()));
            context.step(TARGETS + ": filling");
            try (LoadSession session = LoadSession.open(context, plan, variants.get(0))) {
                for (int repetition = 0; repetition < plan.repetitions(); repetition++) {
                    measure.of(TARGETS, shown, session, repetition);
                }
            }
            return;
        }
        for (int repetition = 0; repetition < plan.repetitions(); repetition++) {
            for (int i = 0; i < variants.size(); i++) {
                // Rotated, so that none always follows the same other one.
                ServerVariant variant = variants.get((i + repetition) % variants.size());
                context.step(variant.name() + ": starting and filling");
                try (LoadSession session = LoadSession.open(context, plan, variant)) {
                    measure.of(variant.name(), variant.shown(), session, repetition);
                }
            }
        }
    }
}
