package io.dht4j.transport.grpc.api;

import io.grpc.ManagedChannel;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A channel, and what was heard over it lately. A link that is cut tells nobody: so a channel over which nothing comes
 * any more, while deadlines pass, is replaced by another one. What is under way over it goes on. Safe for use by any
 * number of threads; does not block.
 */
final class GrpcRemoteLink {

    /** So many calls whose deadlines pass in a row, with nothing heard, put a connection out of use. */
    private static final int SILENT_DEADLINES = 2;

    /** Deadlines may be shorter than the way to the node and back. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ManagedChannel channel;
    private final Consumer<GrpcRemoteLink> replace;
    private volatile long heardAt = System.nanoTime();
    private volatile boolean replaced;

    // Guarded by this.
    private int silent;
    private long silentSince;

    /**
     * A link that has just been made.
     *
     * @param replace puts another one in its place; called once at most
     */
    GrpcRemoteLink(ManagedChannel channel, Consumer<GrpcRemoteLink> replace) {
        this.channel = channel;
        this.replace = replace;
    }

    ManagedChannel channel() {
        return channel;
    }

    /** Whether another link is in its place, so that calls fail here and would not there. */
    boolean isReplaced() {
        return replaced;
    }

    /** Something has come from the node. */
    void heard() {
        heardAt = System.nanoTime();
    }

    /**
     * The deadline of a call has passed that was given to the connection.
     *
     * @param begun when the call began, by {@link System#nanoTime()}
     */
    void deadlinePassed(long begun) {
        long now = System.nanoTime();
        synchronized (this) {
            long heard = heardAt;
            if (heard - begun >= 0 || replaced) {
                silent = 0;
                return;
            }
            if (silent == 0 || heard - silentSince >= 0) {
                silent = 0;
                silentSince = begun;
            }
            silent++;
            if (silent < SILENT_DEADLINES || now - silentSince < SILENCE_NANOS) {
                return;
            }
            replaced = true;
        }
        replace.accept(this);
    }
}
