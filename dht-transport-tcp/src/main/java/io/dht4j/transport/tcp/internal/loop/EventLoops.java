package io.dht4j.transport.tcp.internal.loop;

import io.dht4j.transport.common.BoundedWait;
import io.dht4j.transport.common.ThreadWatch;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** The event loops of one transport. Safe for use by any number of threads. */
public final class EventLoops {

    private final List<EventLoop> loops;
    private final ThreadWatch watch;
    private final AtomicInteger turn = new AtomicInteger();

    private EventLoops(List<EventLoop> loops, ThreadWatch watch) {
        this.loops = List.copyOf(loops);
        this.watch = watch;
    }

    /**
     * Starts loops.
     *
     * @param threads their number
     * @param name begins the names of the threads
     * @param sweep the interval between sweeps of the residents
     */
    public static EventLoops start(int threads, String name, Duration sweep) throws IOException {
        List<EventLoop> loops = new ArrayList<>();
        ThreadWatch watch = ThreadWatch.start(
                name + "-watch", "an event loop of " + name + " has ended, most likely for lack of memory");
        try {
            for (int i = 0; i < threads; i++) {
                loops.add(new EventLoop(name + "-" + i, sweep.toNanos()));
            }
            for (EventLoop loop : loops) {
                watch.add(loop.thread());
                loop.thread().start();
            }
            return new EventLoops(loops, watch);
        } catch (IOException | RuntimeException | Error e) {
            // The system may have no further thread or file.
            watch.close();
            loops.forEach(EventLoop::end);
            loops.stream().filter(loop -> !loop.thread().isAlive()).forEach(EventLoop::discard);
            throw e;
        }
    }

    /** Returns one loop after the other, round-robin. */
    public EventLoop next() {
        return loops.get(Math.floorMod(turn.getAndIncrement(), loops.size()));
    }

    /** Returns a stage that completes, on any thread, when a loop ends without having been closed. */
    public CompletionStage<String> failure() {
        return watch.failure();
    }

    /** Ends the loops and all objects on them. Blocks for at most the bound. Returns false if they still run then. */
    public boolean close(Duration bound) {
        watch.close();
        loops.forEach(EventLoop::end);
        long end = System.nanoTime() + bound.toNanos();
        boolean all = true;
        for (EventLoop loop : loops) {
            all &= BoundedWait.until(end, (time, unit) -> {
                unit.timedJoin(loop.thread(), Math.max(1, time));
                return !loop.thread().isAlive();
            });
        }
        return all;
    }

    /** Ends the threads of a test as a failure would. */
    public void endWithoutNotice() {
        loops.forEach(EventLoop::end);
    }
}
