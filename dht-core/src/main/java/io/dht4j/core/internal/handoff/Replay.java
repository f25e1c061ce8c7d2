package io.dht4j.core.internal.handoff;

import io.dht4j.Node;
import io.dht4j.core.internal.admission.Backoff;
import io.dht4j.core.internal.admission.Throttle;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
import io.dht4j.spi.HintLog;
import io.dht4j.spi.HintLog.Batch;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers hints to one node, one batch at a time. The rate grows with each accepted batch and halves with each
 * failure, so that a node that has just returned, or is busy, is not overloaded. Between failed attempts it waits,
 * longer each time, or briefly while this node is closing. A sign of life ends the wait.
 *
 * <p>Does not block; safe for use by any number of threads.
 */
final class Replay {

    private static final Logger LOG = LoggerFactory.getLogger(Replay.class);

    private static final Backoff BACKOFF = Backoff.doubling(Duration.ofMillis(200), Duration.ofSeconds(10));
    /** How long after a failure a sign of life is ignored, since it may be older than the failure. */
    private static final long STALE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int SMALLEST_BATCH = 16 << 10;
    private static final int LARGEST_BATCH = 192 << 10;
    private static final long FIRST_RATE = 1 << 20;
    private static final long LEAST_RATE = 16 << 10;

    private final Handoff handoff;
    private final Environment environment;
    private final Node node;
    private final HintLog log;
    private final HintedHandoff options;
    private final HintSender sender;
    private final Predicate<Node> suspected;
    private final Throttle throttle;

    private enum State {
        /** No hints are known. */
        IDLE,
        /** A timer will read the next batch. */
        WAITING,
        /** A batch is being read or sent. */
        BUSY,
        CLOSED
    }

    /** Whether this waits after a failure that a sign of life refutes; read without the lock. */
    private volatile boolean awaitsLife;

    // Guarded by this.
    private State state = State.IDLE;
    private boolean more;
    private boolean draining;
    private long drainEndNanos;
    /** Whether the node is no longer retried, during a drain. */
    private boolean gaveUp;

    private Environment.@Nullable Timer timer;
    private long failedNanos;
    /** The number of failures since the last accepted batch. */
    private int failures;

    private int batchBytes = SMALLEST_BATCH;
    private long bytesPerSecond = FIRST_RATE;

    Replay(
            Handoff handoff,
            Environment environment,
            Node node,
            HintLog log,
            HintedHandoff options,
            HintSender sender,
            Predicate<Node> suspected) {
        this.handoff = handoff;
        this.environment = environment;
        this.node = node;
        this.log = log;
        this.options = options;
        this.sender = sender;
        this.suspected = suspected;
        this.throttle = new Throttle(environment, this::bytesPerSecond, () -> false);
    }

    private synchronized long bytesPerSecond() {
        return bytesPerSecond;
    }

    /** Returns the node that gets the hints. */
    Node node() {
        return node;
    }

    /** Handles a new hint. */
    synchronized void hinted() {
        more = true;
        if (state != State.IDLE || gaveUp) {
            return;
        }
        if (draining) {
            read();
        } else {
            // The node has just missed this write, so an immediate attempt would probably fail.
            failedNanos = environment.nanoTime();
            awaitsLife = true;
            waitFor(BACKOFF.nanos(failures));
        }
    }

    /** Handles an answer of the node to any request. */
    void answered() {
        if (awaitsLife) {
            retryNow();
        }
    }

    private synchronized void retryNow() {
        if (state == State.WAITING && awaitsLife && environment.nanoTime() - failedNanos >= STALE_NANOS) {
            read();
        }
    }

    /**
     * Delivers without regard to the rate from now on. A failed batch is retried soon, but not after a deadline, nor if
     * the node is suspected.
     */
    synchronized void drain(long endNanos) {
        draining = true;
        drainEndNanos = endNanos;
        if (state == State.WAITING) {
            read();
        }
    }

    /** Returns whether no hint is left, or none can be delivered. */
    synchronized boolean isAtRest() {
        return state == State.IDLE || state == State.CLOSED;
    }

    void close() {
        synchronized (this) {
            state = State.CLOSED;
            awaitsLife = false;
            cancelTimer();
        }
        handoff.rested();
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    // Called with the lock held.
    private void waitFor(long nanos) {
        state = State.WAITING;
        timer = environment.schedule(this::wake, nanos);
    }

    private synchronized void wake() {
        if (state == State.WAITING) {
            read();
        }
    }

    // Called with the lock held.
    private void read() {
        cancelTimer();
        state = State.BUSY;
        awaitsLife = false;
        more = false;
        int bytes = batchBytes;
        boolean handed = withLog(() -> {
            Batch batch = log.oldest(node.id(), bytes);
            if (batch.entries().isEmpty()) {
                rest();
            } else if (isBusy()) {
                send(batch);
            }
        });
        if (!handed) {
            state = State.CLOSED;
        }
    }

    /** Returns false if this was closed before. */
    private synchronized boolean isBusy() {
        return state == State.BUSY;
    }

    /**
     * Runs work on the log on a store thread. An exception counts as a failed attempt, which is retried. Returns false
     * if this node is closing.
     */
    private boolean withLog(Runnable work) {
        return handoff.onStoreThread(() -> {
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                failed(true);
                throw e;
            }
        });
    }

    /** Becomes idle after the last batch, unless a new hint has arrived. */
    private void rest() {
        synchronized (this) {
            if (state != State.BUSY) {
                return;
            }
            if (more) {
                read();
                return;
            }
            state = State.IDLE;
            failures = 0;
        }
        handoff.rested();
    }

    private void send(Batch batch) {
        long begun = environment.nanoTime();
        sender.send(node, batch.entries(), new HintSender.Outcome() {
            @Override
            public void taken() {
                withLog(() -> {
                    log.delivered(node.id(), batch);
                    succeeded(batch, begun);
                });
            }

            @Override
            public void missed(Node other, List<Entry> some) {
                handoff.missed(other, some);
            }

            @Override
            public void refused(String why) {
                sendEach(batch, 0, Refused.NOTHING);
            }

            @Override
            public void failed(boolean answered, String why) {
                LOG.debug("{} does not take its hints yet: {}", node.id(), why);
                Replay.this.failed(answered);
            }
        });
    }

    /**
     * The refused entries of a batch. They are dropped, and counted, with the batch: a batch that fails in the middle
     * is sent again.
     */
    private record Refused(long bytes, String why) {
        private static final Refused NOTHING = new Refused(0, "");
    }

    /** Sends the entries of a refused batch one by one, so that one refused entry does not hold up the others. */
    private void sendEach(Batch batch, int index, Refused refused) {
        if (index == batch.entries().size()) {
            withLog(() -> {
                log.delivered(node.id(), batch);
                if (refused.bytes > 0) {
                    handoff.drop(node, refused.bytes, refused.why);
                }
                succeeded(batch, environment.nanoTime());
            });
            return;
        }
        List<Entry> one = List.of(batch.entries().get(index));
        sender.send(node, one, new HintSender.Outcome() {
            @Override
            public void taken() {
                next(refused);
            }

            @Override
            public void missed(Node other, List<Entry> some) {
                handoff.missed(other, some);
            }

            @Override
            public void refused(String why) {
                next(new Refused(refused.bytes + Handoff.bytes(one), why));
            }

            /**
             * On another thread: the answer may come from this node's own store, and recursion over a long batch would
             * be deep.
             */
            private void next(Refused soFar) {
                withLog(() -> sendEach(batch, index + 1, soFar));
            }

            @Override
            public void failed(boolean answered, String why) {
                Replay.this.failed(answered);
            }
        });
    }

    private synchronized void succeeded(Batch batch, long begun) {
        if (state != State.BUSY) {
            return;
        }
        failures = 0;
        batchBytes = Math.min(LARGEST_BATCH, 2 * batchBytes);
        bytesPerSecond = Math.min(options.bytesPerSecond(), 2 * bytesPerSecond);
        if (draining) {
            read();
            return;
        }
        long pause = throttle.restAfter(Handoff.bytes(batch.entries()), begun);
        if (pause <= 0) {
            read();
        } else {
            waitFor(pause);
        }
    }

    private void failed(boolean answered) {
        boolean isSuspected = suspected.test(node);
        synchronized (this) {
            if (state != State.BUSY) {
                return;
            }
            batchBytes = SMALLEST_BATCH;
            bytesPerSecond = Math.max(LEAST_RATE, bytesPerSecond / 2);
            failedNanos = environment.nanoTime();
            gaveUp = draining && (isSuspected || drainEndNanos - failedNanos <= BACKOFF.baseNanos());
            if (!gaveUp) {
                awaitsLife = !answered;
                waitFor(draining ? BACKOFF.baseNanos() : BACKOFF.nanos(failures));
                failures++;
                return;
            }
            state = State.IDLE;
        }
        handoff.rested();
    }
}
