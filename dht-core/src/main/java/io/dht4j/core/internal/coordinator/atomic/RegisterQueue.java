package io.dht4j.core.internal.coordinator.atomic;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.Register;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.snapshot.Snapshots;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of a proposer at operations on one key. One round is under way at a time, with the attempts that have
 * waited for the one before. Safe for use by any number of threads.
 */
final class RegisterQueue {

    private static final int MOST_WAITING = 256;
    private static final long MOST_BYTES = 1 << 20;

    /** The most attempts in a round. */
    private static final int TOGETHER = 64;

    /** The longest time of a round. */
    private static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The pause before the first repetition of a round, in the mean; it doubles with each further one. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final int LONGEST_PAUSE = 6;

    /** How long the lead of an absent register is used: later a purge may have removed its state. */
    private static final long ABSENT_LEAD_MILLIS = TimeUnit.SECONDS.toMillis(10);

    private final RegisterServices services;
    private final Key key;
    private final ConcurrentMap<Key, RegisterQueue> queues;

    /** How often {@link #drain} was called since a thread began to drain it. */
    private final AtomicInteger signals = new AtomicInteger();

    // Guarded by this.
    private final ArrayDeque<Attempt> waiting = new ArrayDeque<>();
    private long bytes;
    private boolean isBusy;

    /** Whether the register has had no room in a shared reply. Belongs to the turn. */
    private volatile boolean isAlone;

    RegisterQueue(RegisterServices services, Key key, ConcurrentMap<Key, RegisterQueue> queues) {
        this.services = services;
        this.key = key;
        this.queues = queues;
    }

    /** Adds an attempt; returns false if too many wait. {@link #drain} must follow. */
    synchronized boolean add(Attempt attempt) {
        int size = size(attempt);
        if (waiting.size() == MOST_WAITING || (!waiting.isEmpty() && bytes + size > MOST_BYTES)) {
            return false;
        }
        waiting.add(attempt);
        bytes += size;
        return true;
    }

    private static int size(Attempt attempt) {
        return attempt.operation.change().value().length;
    }

    /** Begins a round if none is under way. A round that ends at once does not nest the next one. */
    void drain() {
        if (signals.getAndIncrement() > 0) {
            return;
        }
        int seen = 1;
        while (seen > 0) {
            begin();
            seen = signals.addAndGet(-seen);
        }
    }

    private void begin() {
        List<Attempt> attempts = new ArrayList<>();
        List<Attempt> late = new ArrayList<>(0);
        synchronized (this) {
            if (isBusy) {
                return;
            }
            while (attempts.size() < TOGETHER && !waiting.isEmpty()) {
                Attempt next = waiting.remove();
                bytes -= size(next);
                (next.context.isExpired() ? late : attempts).add(next);
            }
            if (!attempts.isEmpty()) {
                isBusy = true;
            }
        }
        late.forEach(
                attempt -> attempt.fail(ErrorCode.DEADLINE_PASSED, "the deadline passed before the operation began"));
        if (attempts.isEmpty()) {
            queues.computeIfPresent(key, (same, queue) -> queue == this && isUnused() ? null : queue);
        } else {
            services.counts().begun(attempts.size());
            new Turn(attempts).begin();
        }
    }

    private synchronized boolean isUnused() {
        return !isBusy && waiting.isEmpty();
    }

    private void beginNext() {
        synchronized (this) {
            isBusy = false;
        }
        drain();
    }

    /** Some attempts, and the rounds that they need. */
    private final class Turn implements Round.End {

        private final List<Attempt> attempts;
        private final CallContext context;
        /** A snapshot waits for the ballots of this turn. */
        private final Snapshots.Write inFlight = services.snapshots().writeBegins();

        private final AtomicBoolean hasEnded = new AtomicBoolean();
        private int rounds;
        private volatile @Nullable Round current;

        Turn(List<Attempt> attempts) {
            this.attempts = attempts;
            long longest = 0;
            for (Attempt attempt : attempts) {
                longest = Math.max(longest, attempt.context.remainingNanos());
            }
            this.context = new CallContext(services.environment()::nanoTime, longest);
        }

        void begin() {
            try {
                Optional<Leads.Lead> lead = services.leads().take(key);
                RowQuorum row = services.row(key);
                if (lead.isPresent() && isUsable(lead.get(), row)) {
                    start(row, lead.get().ballot(), lead);
                } else {
                    propose(Register.NEVER_CHANGED);
                }
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        }

        /**
         * Returns whether the lead may be used. A snapshot that does not wait for this turn must not show its ballot.
         */
        private boolean isUsable(Leads.Lead lead, RowQuorum row) {
            for (Attempt attempt : attempts) {
                if (attempt.isForAll) {
                    return false;
                }
            }
            long age = services.versions().current().millis() - lead.ballot().millis();
            boolean isPresent = lead.accepted().expiresAtMillis() == Entry.NEVER;
            return age <= (isPresent ? services.leadMillis() : Math.min(services.leadMillis(), ABSENT_LEAD_MILLIS))
                    && lead.rowVersion() == row.token().rowVersion()
                    && !services.snapshots().mayShow(lead.ballot());
        }

        /** Begins a round with a ballot above another one. */
        void propose(Version highest) {
            try {
                services.versions()
                        .ballot(highest, Math.max(1, context.remainingNanos()))
                        .whenComplete((ballot, error) -> {
                            if (error == null) {
                                start(services.row(key), ballot, Optional.empty());
                            } else {
                                fail(DhtException.unwrap(error));
                            }
                        });
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        }

        private void start(RowQuorum row, Version ballot, Optional<Leads.Lead> lead) {
            try {
                CallContext limited = new CallContext(
                        services.environment()::nanoTime, Math.min(ROUND_NANOS, context.remainingNanos()));
                List<Attempt> left =
                        attempts.stream().filter(attempt -> !attempt.isOver()).toList();
                services.counts().round(lead.isPresent());
                Round round = new Round(services, key, row, ballot, lead, left, limited, isAlone, this);
                current = round;
                try {
                    round.start();
                } catch (RuntimeException | Error e) {
                    // It may have sent requests, so that it must be what ends.
                    round.broken(e);
                }
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        }

        @Override
        public void isDone() {
            end();
        }

        private void end() {
            if (hasEnded.compareAndSet(false, true)) {
                inFlight.ended();
                beginNext();
            }
        }

        @Override
        public void mustRepeat(@Nullable PeerFailure stale, ErrorCode code, String why) {
            Round last = current;
            if (context.isExpired() || last == null) {
                fail(code, why);
                return;
            }
            services.counts().repeated();
            boolean isTooLarge = code == ErrorCode.FRAME_TOO_LARGE;
            isAlone |= isTooLarge;
            try {
                if (stale != null) {
                    refresh(last, stale);
                } else if (isTooLarge || last.isLed()) {
                    propose(last.highest());
                } else if (services.closing().get() && !last.isOutbid()) {
                    fail(code, why);
                } else {
                    long pause = Math.min(pause(), context.remainingNanos());
                    services.environment().schedule(() -> again(last, code, why), pause);
                }
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        }

        private void again(Round last, ErrorCode code, String why) {
            if (context.isExpired()) {
                fail(code, why);
            } else {
                propose(last.highest());
            }
        }

        /** Proposes by a newer view, or by the same one if none arrives in time. */
        private void refresh(Round last, PeerFailure stale) {
            AtomicBoolean isOver = new AtomicBoolean();
            Runnable next = () -> {
                if (isOver.compareAndSet(false, true)) {
                    propose(last.highest());
                }
            };
            Environment.Timer late =
                    services.environment().schedule(next, Math.max(0, Math.min(ROUND_NANOS, context.remainingNanos())));
            services.client()
                    .refresh()
                    .newerThan(last.row().token().view().epoch(), stale.node(), context.remainingNanos())
                    .whenComplete((view, error) -> {
                        if (error == null) {
                            late.cancel();
                            next.run();
                        } else {
                            services.environment().schedule(next, pause());
                        }
                    });
        }

        /** Returns a random pause, so that two proposers do not refuse each other for ever. */
        private long pause() {
            long mean = PAUSE_NANOS << Math.min(rounds++, LONGEST_PAUSE);
            return (long) (2 * mean * services.environment().random().nextDouble());
        }

        private void fail(Throwable error) {
            if (error instanceof DhtException known) {
                fail(known.code(), String.valueOf(known.getMessage()));
            } else {
                fail(ErrorCode.INTERNAL, "internal error: " + error);
            }
        }

        private void fail(ErrorCode code, String why) {
            try {
                attempts.forEach(attempt -> attempt.fail(code, why));
            } finally {
                end();
            }
        }
    }
}
