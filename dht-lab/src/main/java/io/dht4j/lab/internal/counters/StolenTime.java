package io.dht4j.lab.internal.counters;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The share of processor time that the hypervisor gave to others, read from {@code /proc/stat}. A figure with much
 * stolen time is doubtful. Confined to one thread.
 */
public final class StolenTime {

    /** Above this percentage a measurement shows the neighbours. */
    public static final double MUCH_PERCENT = 5;

    private static final Path STAT = Path.of("/proc/stat");
    private static final int STEAL_FIELD = 8;

    private long[] begin = read();

    /** Starts to count. */
    public void reset() {
        begin = read();
    }

    /**
     * Returns the share since the start.
     *
     * @return percent of all processors' time; negative if unknown
     */
    public double percent() {
        long[] end = read();
        if (begin.length <= STEAL_FIELD || end.length <= STEAL_FIELD) {
            return -1;
        }
        long total = 0;
        for (int i = 1; i < Math.min(begin.length, end.length); i++) {
            total += end[i] - begin[i];
        }
        return total == 0 ? 0 : 100.0 * (end[STEAL_FIELD] - begin[STEAL_FIELD]) / total;
    }

    /** Returns the numbers of the line {@code cpu}, with an unused first one so that they count from 1. */
    private static long[] read() {
        if (!Files.isReadable(STAT)) {
            return new long[0];
        }
        try {
            List<String> lines = Files.readAllLines(STAT);
            String[] fields = lines.get(0).trim().split("\\s+", -1);
            long[] numbers = new long[fields.length];
            for (int i = 1; i < fields.length; i++) {
                numbers[i] = Long.parseLong(fields[i]);
            }
            return numbers;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
