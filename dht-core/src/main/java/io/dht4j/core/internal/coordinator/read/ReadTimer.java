package io.dht4j.core.internal.coordinator.read;

import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Environment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ends a read at its deadline, and before lets it ask one more replica when those that it has asked are late: one of
 * them is suspected not to answer, or the hedge delay has passed since it last asked. For each that it asks more it
 * spends from the node's budget of retries; if there is none, it waits for the next time. One timer for all of that,
 * since it is nearly always cancelled; a read that ends at once never sets it.
 */
final class ReadTimer {

    /** A read that waits. */
    interface Waiting {

        boolean isDone();

        /** The keys whose outcome is open and of which further replicas can be asked. */
        List<KeyRead> open();

        void askOneMore(List<KeyRead> keys);

        /** The deadline has passed. */
        void expire();
    }

    private final Environment environment;
    private final ReplicaClient peers;
    private final CallContext context;
    private final Waiting read;
    private final long delayNanos;
    private volatile Environment.@Nullable Timer timer;

    // Each written before a timer is set, and read by what the timer runs.
    private boolean mayAskMore;
    private long lookNanos;
    private long hedgeNanos;

    ReadTimer(Environment environment, ReplicaClient peers, CallContext context, Waiting read) {
        this.environment = environment;
        this.peers = peers;
        this.context = context;
        this.read = read;
        this.delayNanos = peers.hedgeNanos();
    }

    /** To be called once, when the read has asked those that it asks at once. */
    void begin(boolean others) {
        long now = environment.nanoTime();
        mayAskMore = others;
        lookNanos = now + peers.patienceNanos();
        hedgeNanos = now + (delayNanos == ReplicaClient.NEVER ? 0 : delayNanos);
        set(now);
    }

    private void set(long now) {
        long wait = context.remainingNanos();
        if (mayAskMore) {
            wait = Math.min(wait, lookNanos - now);
            if (delayNanos != ReplicaClient.NEVER) {
                wait = Math.min(wait, hedgeNanos - now);
            }
        }
        timer = environment.schedule(this::look, Math.max(1, wait));
        if (read.isDone()) {
            cancel();
        }
    }

    private void look() {
        if (read.isDone()) {
            return;
        }
        if (context.isExpired()) {
            read.expire();
            return;
        }
        long now = environment.nanoTime();
        try {
            if (mayAskMore) {
                askMore(now);
            }
        } finally {
            // Also after an error, or the read would never end.
            set(now);
        }
    }

    private void askMore(long now) {
        List<KeyRead> open = read.open();
        if (open.isEmpty()) {
            mayAskMore = false;
            return;
        }
        boolean late = delayNanos != ReplicaClient.NEVER && now - hedgeNanos >= 0;
        if (now - lookNanos >= 0) {
            lookNanos = now + Math.max(1, peers.patienceNanos() / 2);
        }
        List<KeyRead> asking =
                late ? open : open.stream().filter(this::waitsForASuspect).toList();
        if (!asking.isEmpty() && peers.mayHedge()) {
            read.askOneMore(asking);
        }
        if (late) {
            hedgeNanos = now + delayNanos;
        }
    }

    private boolean waitsForASuspect(KeyRead key) {
        return key.replicas.subList(0, Math.min(key.next.get(), key.replicas.size())).stream()
                .anyMatch(peers::isSuspected);
    }

    /** To be called when the read is done; a timer that is set just now looks for that afterwards. */
    void cancel() {
        Environment.Timer set = timer;
        if (set != null) {
            set.cancel();
        }
    }
}
