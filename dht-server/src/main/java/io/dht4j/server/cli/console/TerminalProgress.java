package io.dht4j.server.cli.console;

import java.io.PrintStream;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** A progress bar on a terminal; elsewhere it shows nothing. For one thread. */
public final class TerminalProgress implements AutoCloseable {

    private static final int INTERVAL_MILLIS = 200;

    private final @Nullable ProgressBar bar;

    private TerminalProgress(@Nullable ProgressBar bar) {
        this.bar = bar;
    }

    /**
     * Shows a bar for a number of things.
     *
     * @param console the bar is shown if its messages go to a terminal
     * @param task what is being done
     * @param total how many things there are, or -1 if that is unknown
     * @param unit what is counted
     * @param unitSize how many things make a unit
     */
    public static TerminalProgress show(Console console, String task, long total, String unit, long unitSize) {
        if (!console.errIsTerminal()) {
            return new TerminalProgress(null);
        }
        PrintStream err = console.err();
        return new TerminalProgress(new ProgressBarBuilder()
                .setTaskName(task)
                .setInitialMax(total)
                .setUnit(unit, unitSize)
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(INTERVAL_MILLIS)
                .showSpeed()
                .setConsumer(new ConsoleProgressBarConsumer(err))
                .build());
    }

    /**
     * Moves the bar.
     *
     * @param done how many things are done
     */
    public void at(long done) {
        if (bar != null) {
            bar.stepTo(done);
        }
    }

    /** Leaves the bar as it is and goes to the next line. */
    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
