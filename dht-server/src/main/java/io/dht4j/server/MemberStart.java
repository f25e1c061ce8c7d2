package io.dht4j.server;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.core.NodeStart;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for the start of a node in a cluster whose nodes may change. */
final class MemberStart {

    private static final long LOOK_MILLIS = 250;
    /** A wait that is over sooner is not reported. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private MemberStart() {}

    /**
     * Waits until a node serves. Blocks.
     *
     * @param start a start that has begun; closed if it fails
     * @param watch learns what the start waits for, and may end it
     * @return the cluster
     * @throws IllegalStateException if the node cannot become a member, or the start was stopped
     */
    static Cluster await(NodeStart start, StartWatch watch) {
        try {
            return cluster(start, watch);
        } catch (RuntimeException | Error e) {
            try {
                start.close();
            } catch (RuntimeException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private static Cluster cluster(NodeStart start, StartWatch watch) {
        CompletableFuture<Cluster> cluster = start.cluster().toCompletableFuture();
        long begun = System.nanoTime();
        String reported = "";
        while (true) {
            try {
                return cluster.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                String waiting = start.waiting();
                if (watch.isStopAsked()) {
                    throw new IllegalStateException("stopped at its start: " + waiting, e);
                }
                if (!waiting.isEmpty() && !waiting.equals(reported) && System.nanoTime() - begun >= PATIENCE_NANOS) {
                    watch.waits(waiting);
                    reported = waiting;
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
