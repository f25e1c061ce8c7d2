package io.dht4j.lab;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Calls code that may never return, on a daemon thread of its own, so that it keeps neither caller nor process. */
final class BoundedCall {

    private BoundedCall() {}

    /**
     * Returns the result of an action. Blocks up to the bound, also if the caller is interrupted: as on the caller's
     * own thread, the action sees the interrupt and may end early.
     *
     * @throws ExecutionException if the action throws; the cause is its exception
     * @throws TimeoutException if it did not return in time; it was interrupted and may still run
     */
    static <T extends @Nullable Object> T of(Duration bound, Callable<? extends T> action)
            throws ExecutionException, TimeoutException {
        FutureTask<T> task = new FutureTask<>(action::call);
        Thread thread = new Thread(task, "dht-lab-candidate");
        thread.setDaemon(true);
        thread.start();
        long deadline = System.nanoTime() + bound.toNanos();
        boolean isInterrupted = false;
        try {
            while (true) {
                try {
                    return task.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    isInterrupted = true;
                    thread.interrupt();
                }
            }
        } finally {
            task.cancel(true);
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
