package io.dht4j.transport.grpc.api.internal.remote;

import io.grpc.ManagedChannel;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A channel and the time of its last received bytes. A cut connection is not reported. A channel is therefore replaced
 * when deadlines pass without any received byte. The calls in flight on it continue. Safe for use by any number of
 * threads; does not block.
 */
final class RemoteLink {

    /** The number of consecutive passed deadlines without received bytes after which a connection is replaced. */
    private static final int SILENT_DEADLINES = 2;

    /** The least silence, because deadlines may be shorter than the round trip to the node. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ManagedChannel channel;
    private final Consumer<RemoteLink> replace;
    private volatile long heardAt = System.nanoTime();
    private volatile boolean replaced;

    // Guarded by this.
    private int silent;
    private long silentSince;

    /**
     * Creates a link.
     *
     * @param replace installs another link in place of this one; called once at most
     */
    RemoteLink(ManagedChannel channel, Consumer<RemoteLink> replace) {
        this.channel = channel;
        this.replace = replace;
    }

    ManagedChannel channel() {
        return channel;
    }

    /** Returns whether another link has replaced this one, so that calls fail here and would not there. */
    boolean isReplaced() {
        return replaced;
    }

    /** Records that bytes of the node have arrived. */
    void heard() {
        heardAt = System.nanoTime();
    }

    /**
     * Notes that the deadline of a call has passed that was given to the connection.
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
