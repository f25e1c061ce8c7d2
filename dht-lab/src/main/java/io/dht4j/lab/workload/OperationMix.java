package io.dht4j.lab.workload;

import io.dht4j.PrintableText;
import io.dht4j.Ranges;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * How often each operation comes. Immutable.
 *
 * @param percent the share of each operation; those that are absent never come. The shares are whole numbers of 1 to
 *     100, together 100
 */
public record OperationMix(Map<OperationKind, Integer> percent) {

    /** The forms that {@link #parse} accepts. */
    public static final String FORMS = "GETS/UPDATES, as 95/5, or shares as get=50,insert=50, of get, put, update, "
            + "insert, scan and rmw; whole percentages, together 100";

    private static final int ALL = 100;

    /**
     * Keeps an unmodifiable copy.
     *
     * @throws IllegalArgumentException if a share is out of range, or the sum is not 100
     */
    public OperationMix {
        percent = Map.copyOf(percent);
        int sum = 0;
        for (Map.Entry<OperationKind, Integer> share : percent.entrySet()) {
            Ranges.require("share of " + share.getKey().label() + " in percent", share.getValue(), 1, ALL);
            sum += share.getValue();
        }
        if (sum != ALL) {
            throw new IllegalArgumentException("the shares of operations must be 100 percent together, not " + sum);
        }
    }

    /**
     * Creates a mix of reads and updates.
     *
     * @param getPercent the share of reads, 0 to 100; the others are updates
     * @return the mix
     * @throws IllegalArgumentException if the share is out of range
     */
    public static OperationMix ofGets(int getPercent) {
        Ranges.require("share of get in percent", getPercent, 0, ALL);
        return of(Map.of(OperationKind.GET, getPercent, OperationKind.UPDATE, ALL - getPercent));
    }

    private static OperationMix of(Map<OperationKind, Integer> shares) {
        Map<OperationKind, Integer> present = new EnumMap<>(OperationKind.class);
        shares.forEach((kind, share) -> {
            if (share != 0) {
                present.put(kind, share);
            }
        });
        return new OperationMix(present);
    }

    /**
     * Reads a mix.
     *
     * @param text one of the {@linkplain #FORMS forms}
     * @return the mix
     * @throws IllegalArgumentException if the text has another form, or the shares are out of range
     */
    public static OperationMix parse(String text) {
        Map<OperationKind, Integer> shares = new EnumMap<>(OperationKind.class);
        String[] two = text.split("/", -1);
        if (two.length == 2) {
            shares.put(OperationKind.GET, share("get", two[0]));
            shares.put(OperationKind.UPDATE, share("update", two[1]));
            return of(shares);
        }
        for (String part : text.split(",", -1)) {
            String[] sides = part.split("=", -1);
            OperationKind kind = kind(sides[0], text);
            if (sides.length != 2 || shares.put(kind, share(kind.label(), sides[1])) != null) {
                throw refusal(text);
            }
        }
        return of(shares);
    }

    private static int share(String of, String text) {
        return Numbers.whole("share of " + of + " in percent", text, 0, ALL);
    }

    private static OperationKind kind(String label, String text) {
        for (OperationKind kind : OperationKind.values()) {
            if (kind.label().equals(label.strip().toLowerCase(Locale.ROOT))) {
                return kind;
            }
        }
        throw refusal(text);
    }

    private static IllegalArgumentException refusal(String text) {
        return new IllegalArgumentException("a mix must be " + FORMS + ", not \"" + PrintableText.of(text, 100) + "\"");
    }

    /** Returns a chooser that does not allocate, for one thread. */
    Chooser chooser(SplittableRandom random) {
        OperationKind[] kinds = percent.keySet().stream().sorted().toArray(OperationKind[]::new);
        Shares shares = new Shares(Arrays.stream(kinds).mapToInt(percent::get).toArray());
        return () -> kinds[shares.next(random)];
    }

    /** Chooses operations. */
    @FunctionalInterface
    interface Chooser {

        OperationKind next();
    }

    @Override
    public String toString() {
        return percent.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(share -> share.getKey().label() + "=" + share.getValue())
                .collect(Collectors.joining(","));
    }
}
