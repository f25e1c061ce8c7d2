package io.dht4j.server;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lifetime of a program that serves: until SIGTERM, SIGINT or SIGHUP, and then until it has shut down in order.
 *
 * <p>By default the JVM ends with status 143 after SIGTERM, even after an orderly end. This program ends with 0. A
 * shutdown hook of the JVM waits for the program to close and then halts the JVM with that status. Signal handlers
 * would be simpler, but {@code sun.misc.Signal} is not part of the platform's API. Halting skips no other hook: hooks
 * run concurrently, and no other is in use here. A program that does not close in time is halted too, with status 1:
 * its acknowledged writes are as safe as with {@code kill -9}.
 *
 * <p>A program that can no longer serve may have no memory left. So a daemon thread that runs from the beginning bounds
 * its end, and needs no memory for that.
 */
public final class Lifetime implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Lifetime.class);

    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final Thread[] NONE = {};

    private static final byte[] LAST_WORDS =
            "dht: could not end in order, most likely for lack of memory\n".getBytes(StandardCharsets.US_ASCII);

    private final FileOutputStream err = new FileOutputStream(FileDescriptor.err);
    private final CountDownLatch stopAsked = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Duration notice;
    private final Duration closingTime;
    private final Thread guard = new Thread(this::guard, "dht4j-lifetime");
    private volatile Thread[] indispensable = NONE;
    private volatile int status;
    /** Whether the program ends by itself. */
    private volatile boolean ends;

    private volatile boolean failed;

    private Lifetime(Duration notice, Duration closingTime) {
        this.notice = notice;
        this.closingTime = closingTime;
    }

    /**
     * Begins to handle the signals. Must be called before the first object is created that needs an orderly end.
     *
     * @param closingTime how long the program may take from the signal to {@link #close()}
     * @return the lifetime, to be closed last
     */
    public static Lifetime begin(Duration closingTime) {
        return begin(Duration.ZERO, closingTime);
    }

    /**
     * Works as {@link #begin(Duration)} for a program that continues for a while after a signal. One that ends by
     * itself does not.
     *
     * @param notice how long the program may continue after a signal, before it closes
     * @param closingTime how long it may take to close
     * @return the lifetime, to be closed last
     */
    public static Lifetime begin(Duration notice, Duration closingTime) {
        Lifetime lifetime = new Lifetime(notice, closingTime);
        lifetime.guard.setDaemon(true);
        lifetime.guard.start();
        Runtime.getRuntime().addShutdownHook(new Thread(lifetime::shutDown, "shutdown"));
        return lifetime;
    }

    /**
     * Blocks until a signal asks the program to stop, or it ends by itself.
     *
     * @throws InterruptedException if the thread was interrupted
     */
    public void awaitStop() throws InterruptedException {
        stopAsked.await();
    }

    /**
     * Returns whether {@link #awaitStop} has returned or would return at once.
     *
     * @return true from then on
     */
    public boolean isStopAsked() {
        return stopAsked.getCount() == 0;
    }

    /**
     * Sets the status after a signal to 1, because a part could not be shut down in order. Must be called before
     * closing.
     */
    public void failed() {
        status = 1;
    }

    /**
     * Ends the program with status 1, because it can no longer serve: {@link #awaitStop} returns. The program ends even
     * if it does not close in time.
     */
    public void fail() {
        status = 1;
        failed = true;
        end();
    }

    /**
     * Ends the program with status 0, because its work is done: {@link #awaitStop} returns. A program that does not
     * close in time still ends, with status 1.
     */
    public void end() {
        ends = true;
        stopAsked.countDown();
        LockSupport.unpark(guard);
    }

    /**
     * Returns whether the program ends by itself, since {@link #end} or {@link #fail} was called.
     *
     * @return false as long as only a signal asks it to stop
     */
    public boolean isEnding() {
        return ends;
    }

    /**
     * Returns whether {@link #fail} was called, by the program or because a thread has ended.
     *
     * @return true from then on
     */
    public boolean hasFailed() {
        return failed;
    }

    /**
     * Does the same as {@link #fail()} when one of these threads ends before the program is asked to stop.
     *
     * @param threads have been started
     */
    public void endWith(List<Thread> threads) {
        indispensable = threads.toArray(NONE);
    }

    /** Ends the process at once with status 1. Needs no memory. */
    public void halt() {
        try {
            err.write(LAST_WORDS);
        } catch (IOException e) {
            status = 1; // No process reads it.
        } finally {
            Runtime.getRuntime().halt(1);
        }
    }

    /**
     * Returns the status that the program should end with.
     *
     * @return 0, or 1 after a failure
     */
    public int status() {
        return status;
    }

    private void guard() {
        long end = 0;
        boolean isBounded = false;
        // A program that has closed may still be unable to end.
        while (ends || closed.getCount() > 0) {
            try {
                LockSupport.parkNanos(this, LOOK_EVERY_NANOS);
                // An interrupted thread would not wait; no caller has a reason to interrupt this one.
                Thread.interrupted();
                if (!isStopAsked() && hasEnded()) {
                    fail();
                }
                if (ends && !isBounded) {
                    isBounded = true;
                    end = System.nanoTime() + closingTime.toNanos();
                } else if (ends && System.nanoTime() - end >= 0) {
                    // Without a word: writing one that is never read could block.
                    Runtime.getRuntime().halt(1);
                }
            } catch (Throwable e) {
                // Most likely there is no memory for a report of this error. The next check may succeed.
            }
        }
    }

    private boolean hasEnded() {
        Thread[] all = indispensable;
        for (int i = 0; i < all.length; i++) {
            if (!all[i].isAlive()) {
                return true;
            }
        }
        return false;
    }

    /** Marks the shutdown as complete. After a signal the JVM ends now. */
    @Override
    public void close() {
        closed.countDown();
        LockSupport.unpark(guard);
    }

    private void shutDown() {
        if (closed.getCount() == 0) {
            return; // The program ends by itself, with its own status.
        }
        stopAsked.countDown();
        try {
            awaitClosed();
        } finally {
            Runtime.getRuntime().halt(status);
        }
    }

    private void awaitClosed() {
        long millis = notice.plus(closingTime).toMillis();
        try {
            if (!closed.await(millis, TimeUnit.MILLISECONDS)) {
                status = 1;
                LOG.warn("not closed within {} ms, ending anyway", millis);
            }
        } catch (InterruptedException e) {
            status = 1;
            LOG.warn("interrupted while closing, ending anyway");
        }
    }
}
