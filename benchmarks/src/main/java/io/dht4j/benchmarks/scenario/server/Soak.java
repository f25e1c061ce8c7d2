package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.server.ServerComparison.Case;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.lab.internal.verdict.Verdict;
import io.dht4j.server.config.Setting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A long run at a fixed rate against three nodes at 2/3 that ask all replicas, with defaults otherwise. It records the
 * tail of each part, which must not grow.
 *
 * @param operation the operation
 * @param minutes duration; 0 or more
 * @param perSecond rate
 */
public record Soak(Operation operation, double minutes, double perSecond) {

    private static final int NODES = 3;
    private static final int ACK = 2;
    private static final double TAIL = 99;

    /** The results of one half of a soak. */
    private static final class Half {

        private final String name;
        private final List<Double> tails = new ArrayList<>();
        private final List<String> doubts = new ArrayList<>();
        private boolean failed;

        private Half(String name) {
            this.name = name;
        }

        /** Adds the result of a part, and its doubts with the part's number. */
        private void add(int part, LoadResult result) {
            tails.add(result.latency().micros(TAIL));
            result.conditions().allDoubts().forEach(doubt -> doubts.add("part " + part + ": " + doubt));
            if (result.failed() + result.notSent() > 0) {
                failed = true;
                doubts.add(
                        "part " + part + ": " + result.failed() + " failed and " + result.notSent() + " were not sent");
            }
        }

        private Measurement measurement(String group, Map<String, String> shown) {
            return new Measurement(
                    group, name, "µs at p99, part by part", false, List.copyOf(tails), shown, List.copyOf(doubts));
        }
    }

    /** Returns the number of steps: filling, and one for each part. */
    public int steps() {
        return minutes > 0 ? 1 + parts() : 0;
    }

    private int parts() {
        return (int) Math.max(4, Math.min(60, minutes));
    }

    /** Runs it. Blocks. */
    public void run(RunContext context, ServerPlan plan) throws IOException, InterruptedException {
        double seconds = 60 * minutes;
        int parts = parts();
        ServerVariant variant = ServerVariant.of("soak", NODES, ACK, NODES).with(Setting.READS, "all");
        context.plan(steps());
        context.step("soak of " + minutes + " minutes: filling");
        try (LoadGenerator generator = new LoadGenerator(NodeJvm.compilerFlags(context));
                CaseCluster cluster = CaseCluster.start(context, new Case("", variant, plan), generator)) {
            LoadSpec part = plan.load(operation, perSecond, 0);
            Half first = new Half("first half");
            Half second = new Half("second half");
            cluster.turnTo(operation).ifPresent(first.doubts::add);
            for (int i = 0; i < parts; i++) {
                context.step(String.format(Locale.ROOT, "soak, part %d of %d", i + 1, parts));
                LoadResult result = cluster.run(part.lasting(0, seconds / parts).withSeed(i));
                cluster.nodes().ping();
                Half half = i < parts / 2 ? first : second;
                half.add(i + 1, result);
                context.add(half.measurement(operation + ", soak at a fixed rate", variant.shown()));
            }
            context.note(
                    first.failed || second.failed
                            ? "The tail of the soak: no verdict, since operations failed or were not sent, which "
                                    + "have no latency."
                            : verdict(first.tails, second.tails));
        }
    }

    /** Returns in a sentence whether the tail grew. */
    static String verdict(List<Double> first, List<Double> second) {
        Verdict.Judged judged = Verdict.of(first, second);
        String says = switch (judged.verdict()) {
            case GREATER -> "it grew: the second half's is greater than the first half's, beyond noise";
            case SMALLER -> "it did not grow: the second half's is smaller than the first half's, beyond noise";
            case WITHIN_NOISE -> "that it grew is not shown: the halves differ within noise";
            case CANNOT_TELL -> "whether it grew is unclear from so few parts";
        };
        return "The tail of the soak: " + says
                + (judged.verdict() == Verdict.CANNOT_TELL
                        ? "."
                        : String.format(Locale.ROOT, " (p = %.3f).", judged.probability()));
    }
}
