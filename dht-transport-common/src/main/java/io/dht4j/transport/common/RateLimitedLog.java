package io.dht4j.transport.common;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Logs failures that may occur in any number, such as requests that fail for lack of memory: the first line at once,
 * then at most one every ten seconds. Each line has the number of those that were omitted before it.
 *
 * <p>Safe for use by any number of threads.
 */
public final class RateLimitedLog {

    static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Consumer<String> lines;
    private final LongSupplier nanoTime;

    // Guarded by this.
    private boolean begun;
    private long loggedNanos;
    private long omitted;

    /**
     * Creates a log before its first line.
     *
     * @param lines takes a line, on the thread that logs
     */
    public RateLimitedLog(Consumer<String> lines) {
        this(lines, System::nanoTime);
    }

    /** Creates a log with the clock of a test. */
    RateLimitedLog(Consumer<String> lines, LongSupplier nanoTime) {
        this.lines = lines;
        this.nanoTime = nanoTime;
    }

    /**
     * Logs a line, or counts it as omitted, also if there is no memory for it. Does not block, unless the consumer of
     * the lines does.
     *
     * @param line called only if the line is logged
     */
    public void log(Supplier<String> line) {
        long before;
        synchronized (this) {
            long now = nanoTime.getAsLong();
            if (begun && now - loggedNanos < PAUSE_NANOS) {
                omitted++;
                return;
            }
            begun = true;
            loggedNanos = now;
            before = omitted;
            omitted = 0;
        }
        try {
            lines.accept(line.get() + (before == 0 ? "" : " (and " + before + " more since the last such line)"));
        } catch (OutOfMemoryError e) {
            // The caller releases what the failure left behind; the next line reports this one.
            synchronized (this) {
                omitted += before + 1;
            }
        }
    }
}
