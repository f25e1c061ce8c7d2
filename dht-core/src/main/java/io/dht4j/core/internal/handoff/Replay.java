package io.dht4j.core.internal.handoff;

import io.dht4j.Node;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
import io.dht4j.spi.HintLog;
import io.dht4j.spi.HintLog.Batch;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands its hints over to one node, one batch at a time. The rate grows with each batch that is taken, and halves when
 * one is not, so that a node that has just come back, or is busy, is not buried. Between tries that fail it waits,
 * longer each time, or shortly while this node is closing; a sign of life ends the wait.
 *
 * <p>Does not block; safe for use by any number of threads.
 */
final class Replay {

    private static final Logger LOG = LoggerFactory.getLogger(Replay.class);

    private static final long FIRST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** A sign of life is not believed sooner after a failure: it may be older than that. */
    private static final long DISBELIEF_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int SMALLEST_BATCH = 16 << 10;
    private static final int LARGEST_BATCH = 192 << 10;
    private static final double FIRST_RATE = 1 << 20;
    private static final double LEAST_RATE = 16 << 10;

    private final Handoff handoff;
    private final Environment environment;
    private final Node node;
    private final HintLog log;
    private final HandoffLimits limits;
    private final HintSender sender;

    private enum State {
        /** There are no hints, as far as is known. */
        IDLE,
        /** A timer will read the next batch. */
        WAITING,
        /** A batch is being read or on its way. */
        BUSY,
        CLOSED
    }

    /** Whether it waits because of a failure that a sign of life disproves; read without the lock. */
    private volatile boolean awaitsLife;

    // Guarded by this.
    private State state = State.IDLE;
    private boolean more;
    private boolean draining;
    private long drainEndNanos;
    /** Whether the node is not tried again since this is draining. */
    private boolean gaveUp;

    private Environment.@Nullable Timer timer;
    private long failedNanos;
    private long waitNanos = FIRST_WAIT_NANOS;
    private int batchBytes = SMALLEST_BATCH;
    private double bytesPerSecond = FIRST_RATE;

    Replay(Handoff handoff, Environment environment, Node node, HintLog log, HandoffLimits limits, HintSender sender) {
        this.handoff = handoff;
        this.environment = environment;
        this.node = node;
        this.log = log;
        this.limits = limits;
        this.sender = sender;
    }

    /** There is a new hint. */
    synchronized void hinted() {
        more = true;
        if (state != State.IDLE || gaveUp) {
            return;
        }
        if (draining) {
            read();
        } else {
            // What was missed a moment ago would most likely be missed again.
            failedNanos = environment.nanoTime();
            awaitsLife = true;
            waitFor(waitNanos);
        }
    }

    /** The node has answered to something. */
    void answered() {
        if (awaitsLife) {
            believe();
        }
    }

    private synchronized void believe() {
        if (state == State.WAITING && awaitsLife && environment.nanoTime() - failedNanos >= DISBELIEF_NANOS) {
            read();
        }
    }

    /**
     * From now on hands over without regard to the rate. What the node does not take is soon tried again, but not later
     * than at a moment, nor if the node is suspected.
     */
    synchronized void drain(long endNanos) {
        draining = true;
        drainEndNanos = endNanos;
        if (state == State.WAITING) {
            read();
        }
    }

    /** Whether there is nothing more to do, or nothing more that can be done. */
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

    // Under the lock.
    private void waitFor(long nanos) {
        state = State.WAITING;
        timer = environment.schedule(this::wake, nanos);
    }

    private synchronized void wake() {
        if (state == State.WAITING) {
            read();
        }
    }

    // Under the lock.
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

    /** Not if it was closed meanwhile. */
    private synchronized boolean isBusy() {
        return state == State.BUSY;
    }

    /**
     * Does something with the log on a store thread. Whatever goes wrong counts as a failure, so that it is tried again
     * later. False if this node is closing.
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

    /** Everything has been handed over, unless something came meanwhile. */
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
            waitNanos = FIRST_WAIT_NANOS;
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
                    succeeded(batch, environment.nanoTime() - begun);
                });
            }

            @Override
            public void refused(String why) {
                sendEach(batch, 0);
            }

            @Override
            public void failed(boolean answered, String why) {
                LOG.debug("{} does not take its hints yet: {}", node.id(), why);
                Replay.this.failed(answered);
            }
        });
    }

    /** One entry that a node refuses must not keep the others from it. */
    private void sendEach(Batch batch, int index) {
        if (index == batch.entries().size()) {
            withLog(() -> {
                log.delivered(node.id(), batch);
                succeeded(batch, 0);
            });
            return;
        }
        List<Entry> one = List.of(batch.entries().get(index));
        sender.send(node, one, new HintSender.Outcome() {
            @Override
            public void taken() {
                next();
            }

            @Override
            public void refused(String why) {
                handoff.drop(node, Handoff.bytes(one), why);
                next();
            }

            /** Not on this thread: this node's own store may have answered on it, and a batch is long. */
            private void next() {
                withLog(() -> sendEach(batch, index + 1));
            }

            @Override
            public void failed(boolean answered, String why) {
                Replay.this.failed(answered);
            }
        });
    }

    private synchronized void succeeded(Batch batch, long tookNanos) {
        if (state != State.BUSY) {
            return;
        }
        waitNanos = FIRST_WAIT_NANOS;
        batchBytes = Math.min(LARGEST_BATCH, 2 * batchBytes);
        bytesPerSecond = Math.min((double) limits.bytesPerSecond(), 2 * bytesPerSecond);
        if (draining) {
            read();
            return;
        }
        long pause = (long) ((double) Handoff.bytes(batch.entries()) / bytesPerSecond * TimeUnit.SECONDS.toNanos(1))
                - tookNanos;
        if (pause <= 0) {
            read();
        } else {
            waitFor(pause);
        }
    }

    private void failed(boolean answered) {
        boolean suspected = sender.isSuspected(node);
        synchronized (this) {
            if (state != State.BUSY) {
                return;
            }
            batchBytes = SMALLEST_BATCH;
            bytesPerSecond = Math.max(LEAST_RATE, bytesPerSecond / 2);
            failedNanos = environment.nanoTime();
            gaveUp = draining && (suspected || drainEndNanos - failedNanos <= FIRST_WAIT_NANOS);
            if (!gaveUp) {
                awaitsLife = !answered;
                waitFor(draining ? FIRST_WAIT_NANOS : waitNanos);
                waitNanos = Math.min(LONGEST_WAIT_NANOS, 2 * waitNanos);
                return;
            }
            state = State.IDLE;
        }
        handoff.rested();
    }
}
