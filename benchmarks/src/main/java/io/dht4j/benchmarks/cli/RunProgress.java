package io.dht4j.benchmarks.cli;

import io.dht4j.server.cli.console.Console;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * Shows progress and remaining time on standard error: a bar on a terminal, elsewhere a line for each step. Confined to
 * one thread.
 */
final class RunProgress implements AutoCloseable {

    private static final int INTERVAL_MILLIS = 500;

    /** Without a terminal, the time between two lines about one step. */
    private static final Duration BETWEEN_LINES = Duration.ofSeconds(30);

    private final String task;
    private final PrintStream err;
    private final LongSupplier nanoTime;
    private final boolean onTerminal;
    private final long begin;
    private @Nullable ProgressBar bar;
    private int planned;
    private int begun;
    private String step = "";
    private long stepBegin;
    private long lastLine;

    /**
     * Begins now.
     *
     * @param nanoTime the time in nanoseconds, from any origin
     */
    RunProgress(Console console, String task, LongSupplier nanoTime) {
        this.task = task;
        this.nanoTime = nanoTime;
        err = console.err();
        onTerminal = console.errIsTerminal();
        begin = nanoTime.getAsLong();
    }

    void plan(int steps) {
        planned = begun + steps;
        if (!onTerminal) {
            return;
        }
        if (bar == null) {
            bar = new ProgressBarBuilder()
                    .setTaskName(task)
                    .setInitialMax(steps)
                    .setStyle(ProgressBarStyle.ASCII)
                    .setUpdateIntervalMillis(INTERVAL_MILLIS)
                    .setConsumer(new ConsoleProgressBarConsumer(err))
                    .build();
        } else {
            bar.maxHint(planned);
        }
    }

    void step(String what) {
        int done = begun;
        begun++;
        step = what;
        stepBegin = nanoTime.getAsLong();
        lastLine = stepBegin;
        planned = Math.max(planned, begun);
        if (bar != null) {
            bar.stepTo(done);
            bar.setExtraMessage(what);
            return;
        }
        err.printf(
                "[%d/%d] %s%s%n",
                begun,
                planned,
                what,
                done == 0 ? "" : ", about " + left(nanoTime.getAsLong() - begin, done, planned) + " left");
    }

    /** Shows the progress of the step. */
    void within(long done, long of) {
        if (done <= 0) {
            return;
        }
        long now = nanoTime.getAsLong();
        String part = String.format(
                Locale.ROOT, "%s: %d %%, about %s of it left", step, 100 * done / of, left(now - stepBegin, done, of));
        if (bar != null) {
            bar.setExtraMessage(part);
        } else if (now - lastLine >= BETWEEN_LINES.toNanos()) {
            lastLine = now;
            err.printf("[%d/%d] %s%n", begun, planned, part);
        }
    }

    private static String left(long nanos, long done, long of) {
        return words(Duration.ofNanos((long) ((double) nanos / done * (of - done))));
    }

    /** Formats a duration for people. */
    static String words(Duration time) {
        long seconds = Math.max(1, Math.round(time.toMillis() / 1e3));
        if (seconds < 90) {
            return seconds + " s";
        }
        long minutes = Math.round(seconds / 60.0);
        return minutes < 90 ? minutes + " min" : minutes / 60 + " h " + minutes % 60 + " min";
    }

    /** Leaves the bar and starts the next line. */
    @Override
    public void close() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
    }
}
