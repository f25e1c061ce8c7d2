package io.dht4j.transport.common;

import io.dht4j.DhtException;
import io.dht4j.spi.ConnectFailure;
import io.dht4j.spi.FileFailure;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.file.FileSystemException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;

/**
 * Guards the start and the end of a transport: each happens once, and the end never within a start. Safe for use by any
 * number of threads.
 */
public final class TransportLifecycle {

    private final String address;
    private final boolean listens;
    private final ThreadFactory threads;
    private final CompletableFuture<Void> starting = new CompletableFuture<>();
    private final CountDownLatch ended = new CountDownLatch(1);

    // Written with the lock held.
    private boolean started;
    private volatile boolean closed;

    /** Opens the resources of a transport. */
    @FunctionalInterface
    public interface Start {

        /**
         * Opens all resources. If this throws, the end of the transport closes those that are open.
         *
         * @throws Exception if a resource cannot be opened
         */
        void run() throws Exception;
    }

    /**
     * Creates the lifecycle of a transport that has not been started.
     *
     * @param address where it listens, for messages
     * @param listens whether it listens, for messages
     * @param threads creates the thread that starts it: looking up a host and reading certificates block
     */
    public TransportLifecycle(String address, boolean listens, ThreadFactory threads) {
        this.address = address;
        this.listens = listens;
        this.threads = threads;
    }

    /**
     * Starts the transport on a thread of its own, unless it was started or closed before. Does not block.
     *
     * @param start opens the resources of the transport
     * @return completes when the transport has started; else with a {@link TransportException} that names the address
     */
    public CompletionStage<Void> start(Start start) {
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(
                        new TransportException(Outcome.NOT_SENT, "the transport for " + address + " is closed"));
            }
            if (started) {
                return CompletableFuture.failedFuture(
                        new TransportException(Reason.STARTED, "the transport for " + address + " is started already"));
            }
            started = true;
        }
        try {
            threads.newThread(() -> run(start)).start();
        } catch (RuntimeException | Error e) {
            // The system may have no further thread. The end waits for the end of the start.
            fail(e);
        }
        return starting.minimalCompletionStage();
    }

    private void run(Start start) {
        try {
            start.run();
            // Closing sets its mark first and then waits for the start.
            if (closed) {
                throw new TransportException(Outcome.NOT_SENT, "the transport was closed while it started");
            }
            starting.complete(null);
        } catch (Throwable e) {
            // Every failure must reach the caller that waits for the start.
            fail(e);
        }
    }

    private void fail(Throwable why) {
        starting.completeExceptionally(
                why instanceof TransportException
                        ? why
                        : new TransportException(
                                Outcome.NOT_SENT,
                                (listens ? "cannot listen on " + address : "cannot start") + ": " + reason(why),
                                why));
    }

    /**
     * Describes why a listener could not start. Does not block.
     *
     * @param failure the exception; of its causes, those that say more than it are used
     * @return a phrase to follow the address
     */
    public static String reason(Throwable failure) {
        Throwable cause = DhtException.unwrap(failure);
        if (cause instanceof UnknownHostException || cause.getCause() instanceof UnknownHostException) {
            return ConnectFailure.UNKNOWN_HOST;
        }
        // Libraries wrap the exceptions of sockets in others that say less. Ours say more than their causes.
        while (cause instanceof IOException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof FileSystemException) {
            return FileFailure.inWords(cause);
        }
        String message = ConnectFailure.message(cause);
        return message + remedy(message);
    }

    /** Returns what to do about a failure to bind, by the words of the system: its exceptions differ. */
    private static String remedy(String message) {
        return switch (message) {
            case "Address already in use" -> "; stop what listens there, or choose another port";
            case "Cannot assign requested address", "Can't assign requested address" ->
                "; choose an address of this machine, or 0.0.0.0 for all";
            case "Permission denied" ->
                "; choose a port of 1024 or above, or give the process the privilege to bind it";
            default -> "";
        };
    }

    /**
     * Returns whether the transport is closed, or about to be.
     *
     * @return always true once {@link #close} has been called
     */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Ends the transport, once. Blocks until it has ended, also where another thread ends it.
     *
     * @param bound the longest wait for the other thread
     * @param end closes the resources that the start has opened; runs after it, on the first calling thread
     */
    public void close(Duration bound, Runnable end) {
        boolean isFirst;
        synchronized (this) {
            isFirst = !closed;
            closed = true;
        }
        if (!isFirst) {
            BoundedWait.upTo(bound, ended::await);
            return;
        }
        try {
            // No start begins from here on. One that has begun always ends: it waits only for the port to be bound.
            if (hasStarted()) {
                starting.exceptionally(failed -> null).join();
            }
            end.run();
        } finally {
            ended.countDown();
        }
    }

    private synchronized boolean hasStarted() {
        return started;
    }
}
