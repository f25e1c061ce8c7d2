package io.dht4j.benchmarks.process;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Calls of several processes at the same time. */
public final class Parallel {

    private Parallel() {}

    /**
     * Makes calls, each on a thread of its own. Blocks until all have ended.
     *
     * @return the results, in the order of the calls
     * @throws IOException if one fails; that of a process that died, which has the reason of the others, comes first
     * @throws InterruptedException if the thread is interrupted; calls in progress are interrupted too
     */
    public static <T> List<T> call(List<? extends Callable<T>> calls) throws IOException, InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(calls.size());
        try {
            List<T> results = new ArrayList<>();
            List<Throwable> failures = new ArrayList<>();
            for (Future<T> call : threads.invokeAll(calls)) {
                try {
                    results.add(call.get());
                } catch (ExecutionException e) {
                    failures.add(e.getCause());
                }
            }
            if (!failures.isEmpty()) {
                throw worst(failures);
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    private static IOException worst(List<Throwable> failures) {
        Throwable first = failures.stream()
                .filter(ChildDiedException.class::isInstance)
                .findFirst()
                .orElse(failures.get(0));
        failures.stream().filter(other -> other != first).forEach(first::addSuppressed);
        if (first instanceof IOException failed) {
            return failed;
        }
        throw new IllegalStateException(first);
    }
}
