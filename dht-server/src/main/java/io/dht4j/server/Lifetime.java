package io.dht4j.server;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lifetime of a program that serves: until SIGTERM, SIGINT or SIGHUP, and then until it has shut down in order.
 *
 * <p>By itself the JVM ends with status 143 after SIGTERM, however orderly the end. This program ends with 0. A
 * shutdown hook of the JVM waits for the program to close and then halts the JVM with that status. Signal handlers
 * would be neater, but {@code sun.misc.Signal} is not part of the platform's API. Halting skips nothing: hooks run side
 * by side, and no other is in use here. A program that does not close in time is halted too: its acknowledged writes
 * are as safe as with {@code kill -9}.
 */
public final class Lifetime implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Lifetime.class);

    private final CountDownLatch stopAsked = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Duration closingTime;
    private volatile int status;

    private Lifetime(Duration closingTime) {
        this.closingTime = closingTime;
    }

    /**
     * Begins to handle the signals. Must be called before anything is created that needs an orderly end.
     *
     * @param closingTime how long the program may take from the signal to {@link #close()}
     * @return the lifetime, to be closed as the last thing of all
     */
    public static Lifetime begin(Duration closingTime) {
        Lifetime lifetime = new Lifetime(closingTime);
        Runtime.getRuntime().addShutdownHook(new Thread(lifetime::shutDown, "shutdown"));
        return lifetime;
    }

    /**
     * Blocks until a signal asks the program to stop.
     *
     * @throws InterruptedException if the thread was interrupted
     */
    public void awaitStop() throws InterruptedException {
        stopAsked.await();
    }

    /**
     * Returns whether a signal has asked the program to stop.
     *
     * @return true from then on
     */
    public boolean isStopAsked() {
        return stopAsked.getCount() == 0;
    }

    /**
     * Makes 1 the status after a signal, because something could not be shut down in order. Must be called before
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
        stopAsked.countDown();
        Thread bound = new Thread(this::haltUnlessClosed, "shutdown bound");
        bound.setDaemon(true);
        bound.start();
    }

    /**
     * Returns the status that the program should end with.
     *
     * @return 0, or 1 when something has failed
     */
    public int status() {
        return status;
    }

    private void haltUnlessClosed() {
        awaitClosed();
        if (closed.getCount() > 0) {
            Runtime.getRuntime().halt(status);
        }
    }

    /** Marks the shutdown as complete. After a signal the JVM ends now. */
    @Override
    public void close() {
        closed.countDown();
    }

    private void shutDown() {
        if (closed.getCount() == 0) {
            return; // The program ends by itself, with its own status.
        }
        stopAsked.countDown();
        awaitClosed();
        Runtime.getRuntime().halt(status);
    }

    private void awaitClosed() {
        try {
            if (!closed.await(closingTime.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("not closed within {} ms, ending anyway", closingTime.toMillis());
            }
        } catch (InterruptedException e) {
            LOG.warn("interrupted while closing, ending anyway");
        }
    }
}
