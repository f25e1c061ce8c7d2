package io.dht4j.lab.internal.load;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * A distribution of times in nanoseconds with a text form.
 *
 * @param histogram an HdrHistogram, compressed (V2) and in Base64
 */
public record Latency(String histogram) {

    /** The longest time that histograms of this class distinguish, in nanoseconds: an hour. */
    public static final long LONGEST_NANOS = 3_600_000_000_000L;

    /** The significant decimal digits of histograms of this class. */
    public static final int DIGITS = 3;

    /**
     * Copies a histogram.
     *
     * @param histogram of nanoseconds
     */
    public static Latency of(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return new Latency(Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length)));
    }

    /**
     * Returns an empty histogram for the times of one thread, at most {@link #LONGEST_NANOS}.
     *
     * @return a new instance
     */
    public static Histogram emptyHistogram() {
        return new Histogram(LONGEST_NANOS, DIGITS);
    }

    /**
     * Returns the histogram.
     *
     * @return a new instance
     * @throws IllegalArgumentException if the text is malformed
     */
    public Histogram decode() {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(histogram)), 0);
        } catch (DataFormatException | RuntimeException e) {
            throw new IllegalArgumentException("not a latency histogram in Base64", e);
        }
    }

    /**
     * Returns a percentile.
     *
     * @param percent 0 to 100
     * @return microseconds
     */
    public double micros(double percent) {
        return decode().getValueAtPercentile(percent) / 1e3;
    }
}
