package io.dht4j.core.internal.coordinator.write;

import io.dht4j.core.internal.admission.Backoff;
import io.dht4j.core.internal.handoff.Handoff;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the writes that replicas do not accept yet, until each is offered again or abandoned: large writes that exceed
 * a replica's memory limit, and writes of partitions that a replica has not begun to take over. The offers of one write
 * to one replica back off, with jitter, so that writes that were refused together do not return together.
 *
 * <p>Each offer ends exactly once: its timer repeats it, or the outcome of its write or the closing of the node
 * abandons it. Does not block; safe for use by any number of threads.
 */
public final class ParkedWrites {

    private static final Logger LOG = LoggerFactory.getLogger(ParkedWrites.class);

    private static final Backoff BACKOFF =
            Backoff.doubling(Duration.ofMillis(100), Duration.ofMillis(3_200)).withJitter(0.5);

    private final Environment environment;
    private final Handoff handoff;
    // Guarded by itself, in the order of arrival.
    private final Set<Offer> parked = new LinkedHashSet<>();
    private volatile boolean closed;

    /**
     * Creates an object without parked writes.
     *
     * @param environment timers and random numbers
     * @param handoff keeps the writes that replicas miss
     */
    public ParkedWrites(Environment environment, Handoff handoff) {
        this.environment = environment;
        this.handoff = handoff;
    }

    /** Returns the handoff that keeps the writes that replicas miss. */
    Handoff handoff() {
        return handoff;
    }

    /** A write that waits to be offered to one replica again. */
    final class Offer {

        private final MissedWrites write;
        private final Runnable again;
        private final Runnable abandoned;
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile Environment.Timer timer = () -> {};

        private Offer(MissedWrites write, Runnable again, Runnable abandoned) {
            this.write = write;
            this.again = again;
            this.abandoned = abandoned;
        }

        /** Ends the offer, unless it has ended: the replica gets no further request. */
        void abandon() {
            if (end()) {
                timer.cancel();
                abandoned.run();
            }
        }

        private void repeat() {
            if (end()) {
                again.run();
            }
        }

        /** Returns false if it has ended before. */
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
     * @param write the write, whose outcome abandons the offer
     * @param refusals the number of times that the replica has refused it before this time
     * @param atMostNanos the longest pause
     * @param again offers it again
     * @param abandoned called instead if the offer is abandoned, perhaps before this returns
     * @return false if it is not parked, since the write is decided, the node closes, or there is no timer for it: then
     *     neither is called
     */
    boolean park(MissedWrites write, int refusals, long atMostNanos, Runnable again, Runnable abandoned) {
        Offer offer = new Offer(write, again, abandoned);
        try {
            // Before the timer, which may be quick. Closing marks first and looks for offers then.
            synchronized (parked) {
                parked.add(offer);
            }
            if (!closed && write.park(offer)) {
                long pause = BACKOFF.nanos(refusals, environment.random());
                offer.timer = environment.schedule(offer::repeat, Math.min(pause, atMostNanos));
                if (offer.ended.get()) {
                    // Abandoned before it had a timer, which would retain the value.
                    offer.timer.cancel();
                }
                return true;
            }
        } catch (RuntimeException | Error e) {
            // The timers have ended, or memory is short: the write continues without the replica, which gets a hint.
            LOG.debug("a write is not offered again", e);
        }
        // If it has ended in between, one of the two has been called.
        return !offer.end();
    }

    /**
     * Abandons all offers and parks no further ones. On return the handoff has the writes that replicas miss because of
     * this.
     */
    public void close() {
        closed = true;
        List<Offer> left;
        synchronized (parked) {
            left = List.copyOf(parked);
        }
        for (Offer offer : left) {
            try {
                offer.abandon();
            } catch (RuntimeException | Error e) {
                LOG.error("a write could not be abandoned", e);
            }
        }
    }
}
