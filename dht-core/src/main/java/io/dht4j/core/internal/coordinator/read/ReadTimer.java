package io.dht4j.core.internal.coordinator.read;

import io.dht4j.core.internal.coordinator.peer.ReadHedging;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.peer.ReplicaOrder;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Environment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ends a read at its deadline. Before that, makes it ask one more replica when one of the asked replicas is suspected,
 * or the hedge delay has passed since the last request. Each such request is withdrawn from the node's retry budget;
 * without balance, it waits for the next time. One timer serves all of this, since it is nearly always cancelled; a
 * read that ends at once never sets it.
 */
final class ReadTimer {

    private final Environment environment;
    private final ReplicaOrder order;
    private final ReadHedging hedging;
    private final CallContext context;
    private final ReadOperation read;
    private final long delayNanos;
    private volatile Environment.@Nullable Timer timer;

    // Written before a timer is set, and read when it runs.
    private boolean mayAskMore;
    private long lookNanos;
    private long hedgeNanos;

    ReadTimer(Environment environment, ReplicaClient client, CallContext context, ReadOperation read) {
        this.environment = environment;
        this.order = client.order();
        this.hedging = client.hedging();
        this.context = context;
        this.read = read;
        this.delayNanos = hedging.delayNanos();
    }

    /** Sets the timer; called once, after the first requests of the read. */
    void begin(boolean others) {
        long now = environment.nanoTime();
        mayAskMore = others;
        lookNanos = now + order.patienceNanos();
        hedgeNanos = now + (delayNanos == ReadHedging.NEVER ? 0 : delayNanos);
        set(now);
    }

    private void set(long now) {
        long wait = context.remainingNanos();
        if (mayAskMore) {
            wait = Math.min(wait, lookNanos - now);
            if (delayNanos != ReadHedging.NEVER) {
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
            // Also after an error, so that the read ends.
            set(now);
        }
    }

    private void askMore(long now) {
        List<KeyRead> open = read.open();
        if (open.isEmpty()) {
            mayAskMore = false;
            return;
        }
        boolean late = delayNanos != ReadHedging.NEVER && now - hedgeNanos >= 0;
        if (now - lookNanos >= 0) {
            lookNanos = now + Math.max(1, order.patienceNanos() / 2);
        }
        List<KeyRead> asking =
                late ? open : open.stream().filter(this::waitsForSuspect).toList();
        if (!asking.isEmpty() && hedging.mayHedge()) {
            read.askOneMore(asking);
        }
        if (late) {
            hedgeNanos = now + delayNanos;
        }
    }

    private boolean waitsForSuspect(KeyRead key) {
        return key.asked().stream().anyMatch(order::isSuspected);
    }

    /** Cancels the timer of a read that is done. One that is set just now checks that afterwards. */
    void cancel() {
        Environment.Timer set = timer;
        if (set != null) {
            set.cancel();
        }
    }
}
