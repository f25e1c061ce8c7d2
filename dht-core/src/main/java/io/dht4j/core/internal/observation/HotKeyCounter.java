package io.dht4j.core.internal.observation;

import io.dht4j.ErrorCode;
import io.dht4j.HotKeys;
import io.dht4j.InvalidRequestException;
import io.dht4j.NodeId;
import io.dht4j.Ranges;
import io.dht4j.UnavailableException;
import io.dht4j.spi.Environment;
import io.dht4j.spi.FrequencySketch;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts the keys of a replica's requests while a caller asks for it, one window at a time. Does not block; safe for
 * use by any number of threads.
 */
public final class HotKeyCounter {

    private final NodeId self;
    private final Optional<Supplier<FrequencySketch>> sketches;
    private final Environment environment;
    /** Null while no caller asks. Changed with the lock of this. */
    private volatile @Nullable HotKeyWindow window;

    private boolean isClosed;

    /**
     * Creates a counter that does not count.
     *
     * @param self this node
     * @param sketches creates empty sketches; empty if the node has none
     * @param environment the clock and the timers
     */
    public HotKeyCounter(NodeId self, Optional<Supplier<FrequencySketch>> sketches, Environment environment) {
        this.self = self;
        this.sketches = sketches;
        this.environment = environment;
    }

    /**
     * Returns the open window, to which each request adds its keys.
     *
     * @return null while no caller asks
     */
    public @Nullable HotKeyWindow window() {
        return window;
    }

    /**
     * Opens a window, unless one is open, and returns what it has counted at its end.
     *
     * @param duration how long the window stays open
     * @param count the most keys of each ranking
     * @return as {@link io.dht4j.NodeDiagnostics#hotKeys}
     */
    public CompletionStage<HotKeys> count(Duration duration, int count) {
        Ranges.require("duration", duration, HotKeys.SHORTEST, HotKeys.LONGEST);
        Ranges.require("count", count, 1, HotKeys.MOST_KEYS);
        if (sketches.isEmpty()) {
            return CompletableFuture.failedFuture(new InvalidRequestException(
                    ErrorCode.BAD_REQUEST, "this node has no sketch to count hot keys with: set one in its builder"));
        }
        // A separate stage for each caller, which may complete it.
        return joined(duration, sketches.get()).thenApply(counted -> counted.first(count));
    }

    private CompletionStage<HotKeys> joined(Duration duration, Supplier<FrequencySketch> created) {
        synchronized (this) {
            HotKeyWindow open = window;
            // One whose sketch has failed is replaced.
            if (open != null && !open.result().isDone()) {
                return open.result();
            }
            if (isClosed) {
                return CompletableFuture.failedFuture(closed());
            }
            HotKeyWindow begun = new HotKeyWindow(self, created, environment::nanoTime);
            if (!begun.result().isDone()) {
                environment.schedule(() -> end(begun), duration.toNanos());
                window = begun;
            }
            return begun.result();
        }
    }

    private void end(HotKeyWindow ended) {
        synchronized (this) {
            if (window == ended) {
                window = null;
            }
        }
        ended.end();
    }

    /** Ends the open window without a result, and opens no other. */
    public void close() {
        HotKeyWindow open;
        synchronized (this) {
            isClosed = true;
            open = window;
            window = null;
        }
        if (open != null) {
            open.fail(closed());
        }
    }

    private static UnavailableException closed() {
        return new UnavailableException(ErrorCode.NOT_SERVING, "this node is closed");
    }
}
