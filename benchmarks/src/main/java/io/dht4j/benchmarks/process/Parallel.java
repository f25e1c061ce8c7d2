package io.dht4j.benchmarks.process;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Does the same with several nodes in parallel. */
final class Parallel {

    private Parallel() {}

    /** The action on one node. */
    @FunctionalInterface
    interface Action<T> {
        void run(T one) throws IOException, InterruptedException;
    }

    /** Returns when all have ended, with the failure of the first in the list that failed. */
    static <T> void each(List<T> all, Action<T> action) throws IOException, InterruptedException {
        if (all.isEmpty()) {
            return;
        }
        ExecutorService threads = Executors.newFixedThreadPool(all.size(), task -> {
            Thread thread = new Thread(task, "nodes");
            thread.setDaemon(true);
            return thread;
        });
        try {
            List<Future<?>> tasks = new ArrayList<>();
            for (T one : all) {
                tasks.add(threads.submit(() -> {
                    action.run(one);
                    return one;
                }));
            }
            for (Future<?> task : tasks) {
                await(task);
            }
        } finally {
            // Interrupts the abandoned actions.
            threads.shutdownNow();
        }
    }

    private static void await(Future<?> task) throws IOException, InterruptedException {
        try {
            task.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        }
    }
}
