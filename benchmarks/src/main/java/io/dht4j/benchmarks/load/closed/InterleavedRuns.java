package io.dht4j.benchmarks.load.closed;

import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.counters.ProcessCounters;
import io.dht4j.lab.internal.counters.StolenTime;
import io.dht4j.lab.internal.load.WarmUp;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Measures several variants in one run, in rotating order, so that other work of the machine affects all alike.
 *
 * @param inFlight operations in flight
 * @param warmUp least seconds of each before measuring
 * @param warmUpLimit greatest seconds of each before measuring, if the compilers stay busy
 * @param seconds length of a repetition
 * @param repetitions of each
 */
public record InterleavedRuns(int inFlight, double warmUp, double warmUpLimit, double seconds, int repetitions) {

    private static final double TURN_SECONDS = 1;

    /** Receives the end of each repetition. */
    @FunctionalInterface
    public interface Observer {

        /**
         * Called when a repetition has ended, and its result is in the variant.
         *
         * @param variant the variant
         * @param stolenPercent processor time that the hypervisor gave to others during it; negative if unknown
         */
        void ended(Variant variant, double stolenPercent);
    }

    /**
     * Measures, and reports each repetition. Blocks.
     *
     * @param variants the variants, which receive the results
     * @param observer called on this thread
     * @throws InterruptedException if the thread is interrupted
     * @throws IllegalStateException if more than one operation in a hundred of a repetition failed
     */
    public void run(List<Variant> variants, Observer observer) throws InterruptedException {
        // They outlive the runs, since the allocation of an ended thread is unknown.
        ExecutorService threads = Executors.newCachedThreadPool();
        try (ProcessCounters counters = new ProcessCounters()) {
            run(variants, observer, threads, counters);
        } finally {
            threads.shutdown();
        }
    }

    private void run(List<Variant> variants, Observer observer, Executor threads, ProcessCounters counters)
            throws InterruptedException {
        warmUp(variants, threads, counters);
        int step = variants.size() / repetitions + 1;
        for (int repetition = 0; repetition < repetitions; repetition++) {
            for (int i = 0; i < variants.size(); i++) {
                Variant variant = variants.get((i + repetition * step) % variants.size());
                StolenTime ofThis = new StolenTime();
                Counters before = counters.read();
                ThroughputLoop.Result result = ThroughputLoop.run(inFlight, seconds, variant.operation(), threads);
                Counters spent = counters.read().since(before);
                Map<String, Double> costs = spent.perOperation(result.operations());
                variant.add(new Variant.Measured(
                        result, costs, spent.values().getOrDefault(Cost.COMPILER_MICROS, 0L) / 1e6, seconds));
                observer.ended(variant, ofThis.percent());
            }
        }
    }

    /** Runs all in turns, since one process compiles for all of them. */
    private void warmUp(List<Variant> variants, Executor threads, ProcessCounters counters)
            throws InterruptedException {
        double turn = Math.min(warmUp, TURN_SECONDS);
        List<WarmUp.Turn<RuntimeException>> turns = new ArrayList<>();
        for (Variant variant : variants) {
            turns.add(() -> {
                ThroughputLoop.run(inFlight, turn, variant.operation(), threads);
                return turn;
            });
        }
        new WarmUp<RuntimeException>(variants.size() * warmUpLimit, counters::read, System::nanoTime)
                .run(variants.size() * warmUp, turns);
    }
}
