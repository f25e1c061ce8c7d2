package io.dht4j.lab.internal.load.closed;

import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.OperationStarter;
import io.dht4j.lab.internal.load.open.Tally;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * One thread of a closed loop, which begins the next operation of each of its slots when the last one has ended. No
 * operation begins on a thread of the client, whose work it would delay.
 */
final class LoopThread implements Callable<Long> {

    /** The slots that await their next operation; at most all. */
    private final BlockingQueue<OperationStarter> ready = new LinkedBlockingQueue<>();

    private final Semaphore room;
    private final Tally tally;
    private final long origin;
    private final long countingBegins;
    private final long ends;

    /**
     * Creates a thread without slots.
     *
     * @param room has a permit for each operation that is not in flight
     * @param origin the reading of {@link System#nanoTime()} at which the run begins
     */
    LoopThread(LoadSpec spec, Semaphore room, Tally tally, long origin) {
        this.room = room;
        this.tally = tally;
        this.origin = origin;
        this.countingBegins = nanos(spec.warmUpSeconds());
        this.ends = nanos(spec.warmUpSeconds() + spec.seconds());
    }

    static long nanos(double seconds) {
        return (long) (seconds * 1e9);
    }

    /** Adds a slot. */
    void add(OperationStarter slot) {
        ready.add(slot);
    }

    /** Returns the number of counted operations that it has begun. */
    @Override
    public Long call() throws InterruptedException {
        long counted = 0;
        for (long now = now(); now < ends; now = now()) {
            OperationStarter slot = ready.poll(ends - now, TimeUnit.NANOSECONDS);
            if (slot != null && begin(slot)) {
                counted++;
            }
        }
        return counted;
    }

    /** Returns whether the operation counts. */
    private boolean begin(OperationStarter slot) throws InterruptedException {
        // An ended operation returns its permit before its slot is ready.
        room.acquire();
        long began = now();
        boolean counts = began >= countingBegins;
        slot.next().whenComplete((outcome, error) -> {
            if (counts) {
                tally.ended(slot.kind(), began, now(), outcome, error);
            }
            room.release();
            ready.add(slot);
        });
        return counts;
    }

    private long now() {
        return System.nanoTime() - origin;
    }
}
