package io.dht4j.lab.workload;

import io.dht4j.PrintableText;
import io.dht4j.Ranges;
import java.util.Locale;
import java.util.SplittableRandom;

/** How often each key is chosen. Immutable. */
public sealed interface KeyDistribution {

    /** The exponent of YCSB's zipfian distributions. */
    double YCSB_THETA = 0.99;

    /** The forms that {@link #parse} accepts. */
    String FORMS = "uniform, zipfian, zipfian:THETA, latest, latest:THETA (THETA from 0.01 to 0.999), or "
            + "recent:SHARE/NEWEST (percentages from 0.1 to 100)";

    /**
     * Creates a chooser.
     *
     * @param keys the keys, shared by all choosers of a workload
     * @param seed choosers of the same seed and space choose the same keys
     * @return a new chooser for one thread
     */
    KeyChooser chooser(KeySpace keys, long seed);

    /** Every key equally often, inserted ones included. */
    record Uniform() implements KeyDistribution {

        @Override
        public KeyChooser chooser(KeySpace keys, long seed) {
            SplittableRandom random = new SplittableRandom(seed);
            return () -> random.nextLong(keys.size());
        }

        @Override
        public String toString() {
            return "uniform";
        }
    }

    /**
     * A few keys very often: the key of rank r in proportion to 1/r<sup>theta</sup>. The frequent keys are scattered
     * over the {@linkplain KeySpace#sizeBeforeInserts keys before any insert}. They are the same for every seed and
     * after any number of inserts, so all threads, processes and runs agree on them. Inserted keys are not chosen.
     *
     * <p>YCSB's client is less skewed. It draws ranks of 10 billion keys, and takes a hash modulo the number of keys:
     * its most frequent key has 3.8 % of the choices, and here that of 100,000 keys has 7.8 %.
     *
     * @param theta the skew, 0.01 to 0.999
     */
    record Zipfian(double theta) implements KeyDistribution {

        /**
         * Checks the skew.
         *
         * @throws IllegalArgumentException if it is out of range
         */
        public Zipfian {
            requireTheta(theta);
        }

        @Override
        public KeyChooser chooser(KeySpace keys, long seed) {
            long size = keys.sizeBeforeInserts();
            ZipfRanks ranks = new ZipfRanks(theta, new SplittableRandom(seed));
            ranks.resize(size);
            Scatter scatter = new Scatter(size);
            return () -> scatter.of(ranks.next());
        }

        @Override
        public String toString() {
            return "zipfian" + suffix(theta);
        }
    }

    /**
     * New keys most often: the newest key has rank 1, and the key of rank r is chosen in proportion to
     * 1/r<sup>theta</sup>. Inserted keys are chosen at once.
     *
     * @param theta the skew, 0.01 to 0.999
     */
    record Latest(double theta) implements KeyDistribution {

        /**
         * Checks the skew.
         *
         * @throws IllegalArgumentException if it is out of range
         */
        public Latest {
            requireTheta(theta);
        }

        @Override
        public KeyChooser chooser(KeySpace keys, long seed) {
            ZipfRanks ranks = new ZipfRanks(theta, new SplittableRandom(seed));
            return () -> {
                long size = keys.size();
                ranks.resize(size);
                return size - 1 - ranks.next();
            };
        }

        @Override
        public String toString() {
            return "latest" + suffix(theta);
        }
    }

    /**
     * A share of the choices among the newest keys, the others among the older ones; equally often within each part.
     *
     * @param sharePercent the share of choices among the newest keys, 0.1 to 100
     * @param newestPercent which part of the keys is the newest, 0.1 to 100; at least one key
     */
    record Recent(double sharePercent, double newestPercent) implements KeyDistribution {

        /**
         * Checks the percentages.
         *
         * @throws IllegalArgumentException if one is out of range
         */
        public Recent {
            Ranges.require("share of recent keys in percent", sharePercent, 0.1, 100);
            Ranges.require("newest keys in percent", newestPercent, 0.1, 100);
        }

        @Override
        public KeyChooser chooser(KeySpace keys, long seed) {
            SplittableRandom random = new SplittableRandom(seed);
            return () -> {
                long size = keys.size();
                long older = size - Math.max(1, (long) (size * newestPercent / 100));
                boolean isRecent = random.nextDouble(100) < sharePercent;
                return isRecent || older == 0 ? random.nextLong(older, size) : random.nextLong(older);
            };
        }

        @Override
        public String toString() {
            return "recent:" + Numbers.text(sharePercent) + "/" + Numbers.text(newestPercent);
        }
    }

    /**
     * Reads a distribution.
     *
     * @param text one of the {@linkplain #FORMS forms}, for example {@code zipfian} or {@code recent:80/10}
     * @return the distribution; its {@code toString} gives the same text again
     * @throws IllegalArgumentException if the text has another form or a number is out of range; the message names both
     */
    static KeyDistribution parse(String text) {
        String[] parts = text.strip().split(":", 2);
        String numbers = parts.length == 1 ? "" : parts[1];
        boolean isBare = parts.length == 1;
        return switch (parts[0].toLowerCase(Locale.ROOT)) {
            case "uniform" -> {
                if (!isBare) {
                    throw refusal(text);
                }
                yield new Uniform();
            }
            case "zipfian" -> new Zipfian(isBare ? YCSB_THETA : theta(numbers));
            case "latest" -> new Latest(isBare ? YCSB_THETA : theta(numbers));
            case "recent" -> {
                String[] percents = numbers.split("/", -1);
                if (percents.length != 2) {
                    throw refusal(text);
                }
                yield new Recent(
                        Numbers.decimal("share of recent keys in percent", percents[0], 0.1, 100),
                        Numbers.decimal("newest keys in percent", percents[1], 0.1, 100));
            }
            default -> throw refusal(text);
        };
    }

    private static IllegalArgumentException refusal(String text) {
        return new IllegalArgumentException("keys must be " + FORMS + ", not \"" + PrintableText.of(text, 100) + "\"");
    }

    private static double theta(String text) {
        return Numbers.decimal("theta", text, 0.01, 0.999);
    }

    private static void requireTheta(double theta) {
        Ranges.require("theta", theta, 0.01, 0.999);
    }

    private static String suffix(double theta) {
        return theta == YCSB_THETA ? "" : ":" + Numbers.text(theta);
    }
}
