package io.dht4j.lab.workload;

import io.dht4j.PrintableText;
import io.dht4j.Ranges;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/** The sizes of the values that a workload writes. Immutable. */
public sealed interface ValueSizes {

    /** The largest value: 1 GiB. */
    int MAX_BYTES = 1 << 30;

    /** The forms that {@link #parse} accepts. */
    String FORMS = "BYTES, LEAST..MOST, or a table of BYTES:WEIGHT, joined by commas (bytes from 0 to 1073741824, "
            + "weights from 1 to 1000000)";

    /**
     * Creates a chooser.
     *
     * @param seed choosers of the same seed choose the same sizes
     * @return a new chooser for one thread
     */
    SizeChooser chooser(long seed);

    /**
     * Returns the largest size.
     *
     * @return bytes
     */
    int largest();

    /**
     * One size.
     *
     * @param bytes 0 to {@link #MAX_BYTES}
     */
    record Fixed(int bytes) implements ValueSizes {

        /**
         * Checks the size.
         *
         * @throws IllegalArgumentException if it is out of range
         */
        public Fixed {
            requireBytes(bytes);
        }

        @Override
        public SizeChooser chooser(long seed) {
            return () -> bytes;
        }

        @Override
        public int largest() {
            return bytes;
        }

        @Override
        public String toString() {
            return Integer.toString(bytes);
        }
    }

    /**
     * Every size of a range equally often.
     *
     * @param least the smallest, 0 or more
     * @param most the largest, {@code least} to {@link #MAX_BYTES}
     */
    record Uniform(int least, int most) implements ValueSizes {

        /**
         * Checks the range.
         *
         * @throws IllegalArgumentException if a bound is out of range
         */
        public Uniform {
            requireBytes(least);
            Ranges.require("largest value in bytes", most, least, MAX_BYTES);
        }

        @Override
        public SizeChooser chooser(long seed) {
            SplittableRandom random = new SplittableRandom(seed);
            return () -> random.nextInt(least, most + 1);
        }

        @Override
        public int largest() {
            return most;
        }

        @Override
        public String toString() {
            return least + ".." + most;
        }
    }

    /**
     * A size and its weight.
     *
     * @param bytes 0 to {@link #MAX_BYTES}
     * @param weight how often in proportion to the other weights, 1 to 1,000,000
     */
    record Weighted(int bytes, int weight) {

        static final int MAX_WEIGHT = 1_000_000;

        /**
         * Checks both numbers.
         *
         * @throws IllegalArgumentException if one is out of range
         */
        public Weighted {
            requireBytes(bytes);
            Ranges.require("weight of a value size", weight, 1, MAX_WEIGHT);
        }
    }

    /**
     * A table of sizes.
     *
     * @param rows 1 to 1000 sizes with their weights
     */
    record Table(List<Weighted> rows) implements ValueSizes {

        private static final int MAX_ROWS = 1000;

        /**
         * Keeps an unmodifiable copy.
         *
         * @throws IllegalArgumentException if there are too few or too many rows
         */
        public Table {
            Ranges.require("value sizes in a table", rows.size(), 1, MAX_ROWS);
            rows = List.copyOf(rows);
        }

        @Override
        public SizeChooser chooser(long seed) {
            int[] sizes = rows.stream().mapToInt(Weighted::bytes).toArray();
            Shares shares = new Shares(rows.stream().mapToInt(Weighted::weight).toArray());
            SplittableRandom random = new SplittableRandom(seed);
            return () -> sizes[shares.next(random)];
        }

        @Override
        public int largest() {
            return rows.stream().mapToInt(Weighted::bytes).max().orElse(0);
        }

        @Override
        public String toString() {
            return rows.stream().map(row -> row.bytes() + ":" + row.weight()).collect(Collectors.joining(","));
        }
    }

    /**
     * Reads a distribution of sizes.
     *
     * @param text one of the {@linkplain #FORMS forms}, for example {@code 100}, {@code 100..4000} or
     *     {@code 100:90,4096:10}
     * @return the distribution; its {@code toString} gives the same text again
     * @throws IllegalArgumentException if the text has another form or a number is out of range; the message names both
     */
    static ValueSizes parse(String text) {
        if (text.contains("..")) {
            String[] bounds = text.split("\\.\\.", 2);
            int least = bytes(bounds[0]);
            return new Uniform(least, Numbers.whole("largest value in bytes", bounds[1], least, MAX_BYTES));
        }
        if (!text.contains(":")) {
            return new Fixed(bytes(text));
        }
        List<Weighted> rows = new ArrayList<>();
        for (String row : text.split(",", -1)) {
            String[] parts = row.split(":", -1);
            if (parts.length != 2) {
                throw new IllegalArgumentException(
                        "value sizes must be " + FORMS + ", not \"" + PrintableText.of(text, 100) + "\"");
            }
            int weight = Numbers.whole("weight of a value size", parts[1], 1, Weighted.MAX_WEIGHT);
            rows.add(new Weighted(bytes(parts[0]), weight));
        }
        return new Table(rows);
    }

    private static int bytes(String text) {
        return Numbers.whole("value size in bytes", text, 0, MAX_BYTES);
    }

    private static void requireBytes(int bytes) {
        Ranges.require("value size in bytes", bytes, 0, MAX_BYTES);
    }
}
