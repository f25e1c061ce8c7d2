package io.dht4j.benchmarks.report;

import java.time.Duration;
import java.util.Locale;

/** Formats numbers for people. */
public final class Figures {

    /** From here on the digits before the point suffice; values just below round to here. */
    private static final double HUNDRED = 99.95;

    private static final double TEN = 9.995;

    private Figures() {}

    /**
     * Formats three digits, or all before the point.
     *
     * @param value any finite number
     */
    public static String of(double value) {
        double size = Math.abs(value);
        if (size >= HUNDRED || value == 0) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        if (size >= TEN) {
            return String.format(Locale.ROOT, "%.1f", value);
        }
        return size >= 0.01 ? String.format(Locale.ROOT, "%.2f", value) : String.format(Locale.ROOT, "%.2g", value);
    }

    /** Formats a share, 0 to 1, in percent. */
    static String percent(double share) {
        return String.format(Locale.ROOT, share > 0 && share < TEN / 100 ? "%.1f %%" : "%.0f %%", 100 * share);
    }

    /** Formats a share whose last percent counts. */
    public static String share(double share) {
        // Rounded down, so that 100 % means all.
        return share >= 1 ? "100 %" : String.format(Locale.ROOT, "%.1f %%", Math.floor(1000 * share) / 10);
    }

    /** Formats a ratio in percent, or as a multiple if it is large. */
    static String ratio(double ratio) {
        return ratio < 2 ? percent(ratio) : of(ratio) + " ×";
    }

    /** Formats microseconds in a fitting unit. */
    public static String micros(double micros) {
        if (micros < 1_000) {
            return of(micros) + " µs";
        }
        return micros < 1_000_000 ? of(micros / 1e3) + " ms" : of(micros / 1e6) + " s";
    }

    /** Formats a duration of minutes or hours. */
    static String time(double seconds) {
        Duration time = Duration.ofMillis(Math.round(seconds * 1e3));
        if (seconds < 90) {
            return of(seconds) + " s";
        }
        return time.toHours() == 0
                ? time.toMinutes() + " min " + time.toSecondsPart() + " s"
                : time.toHours() + " h " + time.toMinutesPart() + " min";
    }

    /** Formats bytes as GiB. */
    static String gibibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f GiB", bytes / (double) (1L << 30));
    }
}
