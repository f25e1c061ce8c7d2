package io.dht4j.core.internal.coordinator.write;

import io.dht4j.core.internal.handoff.Handoff;
import io.dht4j.spi.Environment;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The large writes of a node that replicas had no room for, until each is offered again or given up. Offers of one
 * write to one replica are further and further apart, and writes that were refused together come back apart.
 *
 * <p>Each offer ends exactly once: its timer takes it up, or the outcome of its write or the closing of the node gives
 * it up. Does not block; safe for use by any number of threads.
 */
public final class ParkedWrites {

    private static final Logger LOG = LoggerFactory.getLogger(ParkedWrites.class);

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int MOST_DOUBLINGS = 5;

    private final Environment environment;
    private final Handoff handoff;
    // Guarded by itself, in the order in which they came.
    private final Set<Offer> parked = new LinkedHashSet<>();
    private volatile boolean closed;

    /**
     * Nothing parked.
     *
     * @param environment its timers and its chance
     * @param handoff keeps what replicas missed of the writes
     */
    public ParkedWrites(Environment environment, Handoff handoff) {
        this.environment = environment;
        this.handoff = handoff;
    }

    /** Keeps what replicas missed of the writes. */
    Handoff handoff() {
        return handoff;
    }

    /** A write to one replica that waits to be offered to it again. */
    final class Offer {

        private final MissedWrites write;
        private final Runnable again;
        private final Runnable givenUp;
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile Environment.Timer timer = () -> {};

        private Offer(MissedWrites write, Runnable again, Runnable givenUp) {
            this.write = write;
            this.again = again;
            this.givenUp = givenUp;
        }

        /** Ends it, if it has not ended: the replica is offered nothing any more. */
        void giveUp() {
            if (end()) {
                timer.cancel();
                givenUp.run();
            }
        }

        private void takeUp() {
            if (end()) {
                again.run();
            }
        }

        private boolean end() {
            if (!ended.compareAndSet(false, true)) {
                return false;
            }
            write.unpark(this);
            synchronized (parked) {
                parked.remove(this);
            }
            return true;
        }
    }

    /**
     * Parks an offer.
     *
     * @param write what it belongs to, whose outcome gives it up
     * @param refusals how often the replica has refused it before this time
     * @param atMostNanos the longest pause
     * @param again offers it again
     * @param givenUp called instead if it is given up, perhaps before this returns
     * @return false if it is not parked, since the write is decided, the node closes, or there is no timer for it: then
     *     neither is called
     */
    boolean park(MissedWrites write, int refusals, long atMostNanos, Runnable again, Runnable givenUp) {
        Offer offer = new Offer(write, again, givenUp);
        try {
            // Before the timer, which may be quick. Closing marks first and looks for offers then.
            synchronized (parked) {
                parked.add(offer);
            }
            if (!closed && write.park(offer)) {
                offer.timer = environment.schedule(offer::takeUp, Math.min(pause(refusals), atMostNanos));
                if (offer.ended.get()) {
                    // Given up before it had a timer, which would hold the value.
                    offer.timer.cancel();
                }
                return true;
            }
        } catch (RuntimeException | Error e) {
            // Timers that have ended, or a lack of memory: the write must hear of it, and the replica get a hint.
            LOG.debug("a write is not offered again", e);
        }
        // Whoever has ended it meanwhile has called one of the two.
        return !offer.end();
    }

    /** Between half of a pause that doubles and the whole of it. */
    private long pause(int refusals) {
        long half = (FIRST_PAUSE_NANOS << Math.min(refusals, MOST_DOUBLINGS)) / 2;
        return half + environment.random().nextLong(half + 1);
    }

    /** Gives up all offers; from now on none is parked. What that makes replicas miss is with the handoff on return. */
    public void close() {
        closed = true;
        List<Offer> left;
        synchronized (parked) {
            left = List.copyOf(parked);
        }
        for (Offer offer : left) {
            try {
                offer.giveUp();
            } catch (RuntimeException | Error e) {
                LOG.error("a write could not be given up", e);
            }
        }
    }
}
