package io.dht4j.benchmarks.load;

import io.dht4j.benchmarks.StolenTime;
import io.dht4j.benchmarks.counters.Allocation;
import java.util.List;
import java.util.Locale;
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
public record Comparison(int inFlight, double warmUp, double seconds, int repetitions) {

    /**
     * Measures, and prints the conditions of the figures. Blocks.
     *
     * @param cells the variants, which receive the results
     * @throws InterruptedException if the thread is interrupted
     * @throws IllegalStateException if an operation failed
     */
    public void run(List<Cell> cells) throws InterruptedException {
        run(cells, (cell, stolenPercent) -> {});
    }

    /** Receives the end of each repetition. */
    @FunctionalInterface
    public interface Observer {

        /**
         * Called when a repetition has ended, and its result is in the cell.
         *
         * @param cell the variant
         * @param stolenPercent processor time that the hypervisor gave to others during it; negative if unknown
         */
        void ended(Cell cell, double stolenPercent);
    }

    /**
     * Measures, and reports each repetition. Blocks.
     *
     * @param cells the variants, which receive the results
     * @param observer called on this thread
     * @throws InterruptedException if the thread is interrupted
     * @throws IllegalStateException if an operation failed
     */
    public void run(List<Cell> cells, Observer observer) throws InterruptedException {
        System.out.printf(
                Locale.ROOT,
                "JVM %s, %d processors; %d repetitions of %.1f s in rotating order%n",
                System.getProperty("java.vm.version"),
                Runtime.getRuntime().availableProcessors(),
                repetitions,
                seconds);
        // They outlive the runs, since the allocation of an ended thread is unknown.
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            run(cells, observer, threads);
        } finally {
            threads.shutdown();
        }
    }

    private void run(List<Cell> cells, Observer observer, Executor threads) throws InterruptedException {
        for (Cell cell : cells) {
            Slots.run(inFlight, warmUp, cell.operation(), threads);
        }
        StolenTime stolen = new StolenTime();
        Allocation allocation = new Allocation();
        int step = cells.size() / repetitions + 1;
        for (int repetition = 0; repetition < repetitions; repetition++) {
            for (int i = 0; i < cells.size(); i++) {
                Cell cell = cells.get((i + repetition * step) % cells.size());
                StolenTime ofThis = new StolenTime();
                long before = allocation.bytes();
                Slots.Result result = Slots.run(inFlight, seconds, cell.operation(), threads);
                double operations = Math.max(1, result.perSecond() * seconds);
                cell.add(new Cell.Measured(result.perSecond(), (allocation.bytes() - before) / operations));
                observer.ended(cell, ofThis.percent());
            }
        }
        System.out.printf(Locale.ROOT, "stolen time %.1f %%%n%n", stolen.percent());
    }
}
