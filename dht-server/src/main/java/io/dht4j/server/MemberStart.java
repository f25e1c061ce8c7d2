package io.dht4j.server;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.core.NodeStart;
import io.dht4j.server.log.ShellWords;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for the start of a node in a cluster whose nodes may change. */
final class MemberStart {

    private static final long LOOK_MILLIS = 250;
    /** A wait that is over sooner is not reported. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** A report says that the node still waits. */
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private MemberStart() {}

    /**
     * Waits until a node serves. Blocks.
     *
     * @param start a start that has begun; closed if it fails
     * @param watch receives what the start waits for, and may end it
     * @return the cluster
     * @throws IllegalStateException if the node cannot become a member, or the start was stopped
     */
    static Cluster await(NodeStart start, StartWatch watch) {
        return await(start, watch, PATIENCE, INTERVAL);
    }

    /** Waits as {@link #await(NodeStart, StartWatch)} does, and reports after some time and then at an interval. */
    static Cluster await(NodeStart start, StartWatch watch, Duration patience, Duration interval) {
        try {
            return cluster(start, watch, patience, interval);
        } catch (RuntimeException | Error e) {
            try {
                start.close();
            } catch (RuntimeException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private static Cluster cluster(NodeStart start, StartWatch watch, Duration patience, Duration interval) {
        CompletableFuture<Cluster> cluster = start.cluster().toCompletableFuture();
        long next = System.nanoTime() + patience.toNanos();
        while (true) {
            try {
                return cluster.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                String waiting = ShellWords.of(start.waiting());
                if (watch.isStopAsked()) {
                    throw new IllegalStateException("stopped at its start: " + waiting, e);
                }
                if (!waiting.isEmpty() && System.nanoTime() - next >= 0) {
                    watch.waits(waiting);
                    next = System.nanoTime() + interval.toNanos();
                }
            } catch (ExecutionException e) {
                Throwable cause = DhtException.unwrap(e);
                if (cause instanceof RuntimeException failure) {
                    throw failure;
                }
                throw new IllegalStateException(cause);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted at its start: " + start.waiting(), e);
            }
        }
    }
}
