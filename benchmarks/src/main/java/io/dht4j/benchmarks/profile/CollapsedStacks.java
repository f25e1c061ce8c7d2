package io.dht4j.benchmarks.profile;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/**
 * Stacks with their counts.
 *
 * @param counts count by stack: frames from root to leaf, separated by semicolons; the first frame is the thread's name
 *     in brackets
 */
public record CollapsedStacks(Map<String, Long> counts) {

    private static final Pattern THREAD_NUMBER = Pattern.compile(" tid=\\d+]$");

    /** Numbers within a name, except in words like C2 and G1. */
    private static final Pattern NUMBERS = Pattern.compile("(?<!^\\[[CG])\\d++(?![A-Za-z])");

    /** Keeps an unmodifiable copy. */
    public CollapsedStacks {
        counts = Map.copyOf(counts);
    }

    /**
     * Reads a file of async-profiler. Threads whose names differ in numbers only, such as those of a pool, are merged.
     *
     * @param file with a stack, a blank and a count in each line
     * @return the stacks
     * @throws IOException if reading fails, or a line is malformed
     */
    public static CollapsedStacks read(Path file) throws IOException {
        Map<String, Long> counts = new HashMap<>();
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            int number = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                int blank = line.lastIndexOf(' ');
                long count;
                try {
                    count = Long.parseLong(line.substring(blank + 1));
                } catch (NumberFormatException e) {
                    throw new IOException(file + ", line " + number + ": no count at its end", e);
                }
                if (blank <= 0 || count < 0) {
                    throw new IOException(file + ", line " + number + ": expected a stack, a blank and a count");
                }
                counts.merge(pooled(line.substring(0, blank)), count, Long::sum);
            }
        }
        return new CollapsedStacks(counts);
    }

    private static String pooled(String stack) {
        int end = stack.indexOf(';');
        String first = end < 0 ? stack : stack.substring(0, end);
        if (!first.startsWith("[") || !first.endsWith("]")) {
            return stack;
        }
        String name = THREAD_NUMBER.matcher(first).replaceFirst("]");
        return NUMBERS.matcher(name).replaceAll("*") + (end < 0 ? "" : stack.substring(end));
    }

    /**
     * Returns the sum of several profiles.
     *
     * @param parts for example one of each node
     * @return the sums
     */
    public static CollapsedStacks merge(List<CollapsedStacks> parts) {
        Map<String, Long> counts = new HashMap<>();
        for (CollapsedStacks part : parts) {
            part.counts.forEach((stack, count) -> counts.merge(stack, count, Long::sum));
        }
        return new CollapsedStacks(counts);
    }

    /**
     * Returns the stacks with counts scaled to another total. Stacks with a scaled count below one half are omitted.
     *
     * @param total the approximate new sum; 0 or more
     * @return the stacks
     */
    public CollapsedStacks scaledTo(long total) {
        long sum = total();
        Map<String, Long> scaled = new HashMap<>();
        counts.forEach((stack, count) -> {
            long share = sum == 0 ? 0 : Math.round((double) count * total / sum);
            if (share > 0) {
                scaled.put(stack, share);
            }
        });
        return new CollapsedStacks(scaled);
    }

    /**
     * Returns the sum of all counts.
     *
     * @return 0 or more
     */
    public long total() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Calls an action for each stack, with its frames from root to leaf. */
    void forEach(BiConsumer<List<String>, Long> action) {
        counts.forEach((stack, count) -> action.accept(Arrays.asList(stack.split(";", -1)), count));
    }

    /**
     * Writes them in the form of {@link #read}, sorted.
     *
     * @param file the target
     * @throws IOException if writing fails
     */
    public void write(Path file) throws IOException {
        try (BufferedWriter lines = Files.newBufferedWriter(file)) {
            for (Map.Entry<String, Long> entry : new TreeMap<>(counts).entrySet()) {
                lines.write(entry.getKey() + " " + entry.getValue() + "\n");
            }
        }
    }
}
