package io.dht4j.benchmarks.load.closed;

import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.counters.ProcessCounters;
import io.dht4j.lab.internal.counters.StolenTime;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Measures several variants in one run, in rotating order, so that other work of the machine affects all alike.
 *
 * @param inFlight operations in flight
 * @param warmUp seconds of each before measuring
 * @param seconds length of a repetition
 * @param repetitions of each
 */
public record InterleavedRuns(int inFlight, double warmUp, double seconds, int repetitions) {

    /**
     * Measures, and prints the conditions of the figures. Blocks.
     *
     * @param variants the variants, which receive the results
     * @throws InterruptedException if the thread is interrupted
     * @throws IllegalStateException if an operation failed
     */
    public void run(List<Variant> variants) throws InterruptedException {
        System.out.printf(
                Locale.ROOT,
                "JVM %s, %d processors; %d repetitions of %.1f s in rotating order%n",
                System.getProperty("java.vm.version"),
                Runtime.getRuntime().availableProcessors(),
                repetitions,
                seconds);
        StolenTime stolen = new StolenTime();
        run(variants, (variant, stolenPercent) -> {});
        System.out.printf(Locale.ROOT, "stolen time %.1f %%%n%n", stolen.percent());
    }

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
     * Measures, and reports each repetition; prints nothing. Blocks.
     *
     * @param variants the variants, which receive the results
     * @param observer called on this thread
     * @throws InterruptedException if the thread is interrupted
     * @throws IllegalStateException if an operation failed
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
        for (Variant variant : variants) {
            ClosedLoad.run(inFlight, warmUp, variant.operation(), threads);
        }
        int step = variants.size() / repetitions + 1;
        for (int repetition = 0; repetition < repetitions; repetition++) {
            for (int i = 0; i < variants.size(); i++) {
                Variant variant = variants.get((i + repetition * step) % variants.size());
                StolenTime ofThis = new StolenTime();
                Counters before = counters.read();
                ClosedLoad.Result result = ClosedLoad.run(inFlight, seconds, variant.operation(), threads);
                Map<String, Double> costs = counters.read().since(before).perOperation(result.operations());
                variant.add(new Variant.Measured(result.perSecond(), costs));
                observer.ended(variant, ofThis.percent());
            }
        }
    }
}
