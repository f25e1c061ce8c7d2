package io.dht4j.transport.common;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Watches threads that a port needs: one that has ended leaves connections, and perhaps the port, open and dead. A
 * daemon thread checks them twice a second. The check allocates no memory, because threads mostly end for lack of
 * memory; for the same reason it does not rely on actions of the threads at their end. Safe for use by any number of
 * threads; does not block.
 */
public final class ThreadWatch implements AutoCloseable {

    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final Thread[] NONE = {};

    private final String report;
    private final CompletableFuture<String> failure = new CompletableFuture<>();
    private final Watcher watcher;
    private volatile Thread[] threads = NONE;
    private volatile boolean closed;

    private ThreadWatch(String name, String report) {
        this.report = report;
        this.watcher = new Watcher(this::watch, name);
        watcher.setDaemon(true);
    }

    /** Marks the threads of this class among all threads of a process. */
    private static final class Watcher extends Thread {

        Watcher(Runnable task, String name) {
            super(task, name);
        }
    }

    /**
     * Starts a watch over no threads.
     *
     * @param name the name of the daemon thread
     * @param report the text of {@link #failure}
     * @return the watch, to be closed before its threads end in order
     */
    public static ThreadWatch start(String name, String report) {
        ThreadWatch watch = new ThreadWatch(name, report);
        watch.watcher.start();
        return watch;
    }

    /**
     * Returns the daemon threads of all open watches in this process, for a program that wants to end when one of them
     * has ended.
     *
     * @return a copy
     */
    public static List<Thread> running() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(Watcher.class::isInstance)
                .toList();
    }

    /**
     * Watches a thread from now on.
     *
     * @param thread may still be to be started
     */
    public synchronized void add(Thread thread) {
        Thread[] more = new Thread[threads.length + 1];
        System.arraycopy(threads, 0, more, 0, threads.length);
        more[threads.length] = thread;
        threads = more;
    }

    /**
     * Returns a factory whose threads are watched.
     *
     * @param base makes the threads
     * @return a factory that is as safe for use by several threads as {@code base}
     */
    public ThreadFactory over(ThreadFactory base) {
        return task -> {
            Thread thread = base.newThread(task);
            add(thread);
            return thread;
        };
    }

    /**
     * Reports that a watched thread has ended.
     *
     * @return completes with the report, on any thread; never once the watch is closed
     */
    public CompletionStage<String> failure() {
        return failure.minimalCompletionStage();
    }

    /**
     * Returns whether {@link #failure} has been reported.
     *
     * @return true from then on
     */
    public boolean hasFailed() {
        return failure.isDone();
    }

    /** Ends the watch. Its threads may end from now on. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(watcher);
    }

    private void watch() {
        while (!closed) {
            try {
                LockSupport.parkNanos(this, LOOK_EVERY_NANOS);
                // An interrupted thread would not wait; no caller has a reason to interrupt this one.
                Thread.interrupted();
                if (hasEnded() && !closed) {
                    failure.complete(report);
                    return;
                }
            } catch (Throwable e) {
                // Most likely there is no memory for a report of this error. The next check may succeed.
            }
        }
    }

    private boolean hasEnded() {
        Thread[] all = threads;
        for (int i = 0; i < all.length; i++) {
            // Not isAlive(), which is false before the start too.
            if (all[i].getState() == Thread.State.TERMINATED) {
                return true;
            }
        }
        return false;
    }
}
