package io.dht4j;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Checks the values of options, the same way for every option of every module. Each refusal is an
 * {@link IllegalArgumentException} of the form {@code maxInFlight must be 1 to 1000000, not 0}. Safe for use by any
 * number of threads.
 */
public final class Ranges {

    private static final Duration HOUR = Duration.ofHours(1);

    private Ranges() {}

    /**
     * Refuses a number out of its range.
     *
     * @param option the option's name
     * @param value its value
     * @param least the smallest allowed value
     * @param most the largest allowed value
     * @throws IllegalArgumentException if the value is out of range
     */
    public static void require(String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw refusal(option, value, least, most);
        }
    }

    /**
     * Refuses a fraction out of its range, or one that is not a number.
     *
     * @param option the option's name
     * @param value its value
     * @param least the smallest allowed value
     * @param most the largest allowed value
     * @throws IllegalArgumentException if the value is out of range
     */
    public static void require(String option, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            throw refusal(option, value, least, most);
        }
    }

    /**
     * Refuses a time out of its range.
     *
     * @param option the option's name
     * @param value its value
     * @param least the shortest allowed time
     * @param most the longest allowed time
     * @throws IllegalArgumentException if the value is out of range
     */
    public static void require(String option, Duration value, Duration least, Duration most) {
        Objects.requireNonNull(value, option);
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw refusal(option, text(value), text(least), text(most));
        }
    }

    /** Returns a time as people write it, for example {@code 500ms} or {@code 1h}. */
    static String text(Duration time) {
        if (!time.equals(time.truncatedTo(ChronoUnit.SECONDS))) {
            boolean isShort = time.compareTo(HOUR) < 0 && time.compareTo(HOUR.negated()) > 0;
            return isShort && time.equals(time.truncatedTo(ChronoUnit.MILLIS))
                    ? time.toMillis() + "ms"
                    : time.toString();
        }
        long seconds = time.toSeconds();
        for (ChronoUnit unit : List.of(ChronoUnit.DAYS, ChronoUnit.HOURS, ChronoUnit.MINUTES)) {
            long each = unit.getDuration().toSeconds();
            if (seconds != 0 && seconds % each == 0) {
                return seconds / each + unit.name().substring(0, 1).toLowerCase(Locale.ROOT);
            }
        }
        return seconds + "s";
    }

    /**
     * Refuses a number of replicas that the nodes cannot hold.
     *
     * @param option the option's name
     * @param value its value
     * @param nodes the number of nodes, 1 or more
     * @throws IllegalArgumentException if the value is less than 1 or more than there are nodes
     */
    public static void requireReplicas(String option, long value, int nodes) {
        if (value < 1 || value > nodes) {
            throw new IllegalArgumentException(option + " must be "
                    + (nodes == 1 ? "1, since there is one node" : "1 to " + nodes + ", the number of nodes") + ", not "
                    + value);
        }
    }

    private static IllegalArgumentException refusal(String option, Object value, Object least, Object most) {
        return new IllegalArgumentException(option + " must be " + least + " to " + most + ", not " + value);
    }
}
