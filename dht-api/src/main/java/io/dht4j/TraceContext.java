package io.dht4j;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Identifies a span of a trace to other processes, as the W3C recommendation <i>Trace Context</i> defines it.
 * Immutable.
 *
 * @param traceIdHigh the first 8 bytes of the trace's identifier
 * @param traceIdLow the last 8 bytes of the trace's identifier, not zero if the first ones are
 * @param spanId the identifier of the span, not zero
 * @param flags the trace flags, 0 to 255; bit 1 says that the trace is sampled
 * @param state the {@code tracestate}: data of tracing systems in printable ASCII, up to {@link #MAX_STATE} characters;
 *     mostly empty
 */
public record TraceContext(long traceIdHigh, long traceIdLow, long spanId, int flags, String state) {

    /** The largest number of characters of a state. */
    public static final int MAX_STATE = 512;

    private static final int SAMPLED = 1;
    /** The length of {@code 00-<32 digits>-<16 digits>-<2 digits>}. */
    private static final int LENGTH = 55;

    private static final int AFTER_VERSION = 2;
    private static final int AFTER_TRACE_ID = 35;
    private static final int AFTER_SPAN_ID = 52;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if one is out of its range
     */
    public TraceContext {
        Objects.requireNonNull(state, "state");
        if ((traceIdHigh | traceIdLow) == 0 || spanId == 0) {
            throw new IllegalArgumentException("the identifiers of a trace and a span must not be zero");
        }
        Ranges.require("flags", flags, 0, 0xFF);
        if (!isState(state)) {
            throw new IllegalArgumentException(
                    "a trace state has at most " + MAX_STATE + " characters of printable ASCII");
        }
    }

    /**
     * Reads the headers of a request.
     *
     * @param traceparent the value of the header {@code traceparent}; null if there is none
     * @param tracestate the values of the header {@code tracestate}, joined by commas; null if there is none. A value
     *     that is too long or not of printable ASCII is ignored
     * @return empty if the first one is absent or malformed
     */
    public static Optional<TraceContext> parse(@Nullable String traceparent, @Nullable String tracestate) {
        if (traceparent == null || !hasForm(traceparent)) {
            return Optional.empty();
        }
        long high = hex(traceparent, AFTER_VERSION + 1, 16);
        long low = hex(traceparent, AFTER_VERSION + 1 + 16, 16);
        long span = hex(traceparent, AFTER_TRACE_ID + 1, 16);
        int flags = (int) hex(traceparent, AFTER_SPAN_ID + 1, 2);
        if ((high | low) == 0 || span == 0) {
            return Optional.empty();
        }
        String state = tracestate == null ? "" : tracestate.strip();
        return Optional.of(new TraceContext(high, low, span, flags, isState(state) ? state : ""));
    }

    /** Returns whether a text is of version 0, or of a later one that begins like it. */
    private static boolean hasForm(String text) {
        boolean isLonger = text.length() > LENGTH;
        if (text.length() < LENGTH || (isLonger && (text.startsWith("00") || text.charAt(LENGTH) != '-'))) {
            return false;
        }
        for (int i = 0; i < LENGTH; i++) {
            boolean isDash = i == AFTER_VERSION || i == AFTER_TRACE_ID || i == AFTER_SPAN_ID;
            if (isDash ? text.charAt(i) != '-' : digit(text.charAt(i)) < 0) {
                return false;
            }
        }
        return !text.startsWith("ff");
    }

    private static int digit(char c) {
        if (c >= '0' && c <= '9') {
            return c - '0';
        }
        // Capital letters are malformed.
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    }

    private static long hex(String text, int from, int digits) {
        long value = 0;
        for (int i = from; i < from + digits; i++) {
            value = value << 4 | digit(text.charAt(i));
        }
        return value;
    }

    /**
     * Returns whether a text may be a state.
     *
     * @param text any text
     * @return whether it has at most {@link #MAX_STATE} characters, all of printable ASCII
     */
    public static boolean isState(String text) {
        return text.length() <= MAX_STATE && text.chars().allMatch(c -> c >= ' ' && c < 0x7F);
    }

    /**
     * Returns whether the trace is recorded.
     *
     * @return whether the flags say so
     */
    public boolean isSampled() {
        return (flags & SAMPLED) != 0;
    }

    /**
     * Returns the value of the header {@code traceparent}.
     *
     * @return 55 characters
     */
    public String traceparent() {
        StringBuilder text = new StringBuilder(LENGTH).append("00-");
        append(text, traceIdHigh, 16);
        append(text, traceIdLow, 16);
        text.append('-');
        append(text, spanId, 16);
        text.append('-');
        append(text, flags, 2);
        return text.toString();
    }

    private static void append(StringBuilder text, long value, int digits) {
        for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
            text.append(Character.forDigit((int) (value >>> shift) & 0xF, 16));
        }
    }
}
