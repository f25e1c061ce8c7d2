package io.dht4j.benchmarks.scenario.growth;

import io.dht4j.benchmarks.load.closed.ReadBack;
import io.dht4j.benchmarks.report.Figures;
import io.dht4j.benchmarks.results.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The figures of a growth. Immutable.
 *
 * @param keys number of keys
 * @param tails of each kind of call
 * @param offered calls in all windows
 * @param failed how many of them failed
 * @param readBack the findings about the keys at the end
 * @param rows entries of each node at the end, by name; that of the joined node is the last
 * @param movedBytes bytes of keys and values that the joined node has received by moves
 * @param entryBytes of each entry
 * @param seconds duration of the moves
 * @param bytesPerSecond rate of the moves
 */
record GrowthFigures(
        long keys,
        Map<String, Tails> tails,
        long offered,
        long failed,
        ReadBack.Result readBack,
        List<Rows> rows,
        long movedBytes,
        int entryBytes,
        double seconds,
        long bytesPerSecond) {

    /** The greatest wanted p99 during the moves, as a multiple of the undisturbed one. */
    static final double MOST_TAIL = 2;

    /** The greatest wanted part of a node's share. */
    static final double MOST_ROWS = 1.1;

    /** The greatest wanted number of moved entries, as a multiple of the least possible one. */
    static final double MOST_MOVED = 1.2;

    /** Keeps unmodifiable copies. */
    GrowthFigures {
        tails = Map.copyOf(tails);
        rows = List.copyOf(rows);
    }

    /**
     * The 99th percentiles of windows, in microseconds.
     *
     * @param before the moves
     * @param moves during them
     * @param drops while former owners drop moved entries
     * @param after all of that
     */
    record Tails(List<Double> before, List<Double> moves, List<Double> drops, List<Double> after) {

        /** Keeps unmodifiable copies. */
        Tails {
            before = List.copyOf(before);
            moves = List.copyOf(moves);
            drops = List.copyOf(drops);
            after = List.copyOf(after);
        }

        List<Double> undisturbed() {
            return Stream.concat(before.stream(), after.stream()).toList();
        }

        /** Returns the ratio of the medians; infinite if no whole window was within the moves. */
        double ratio() {
            return moves.isEmpty()
                    ? Double.POSITIVE_INFINITY
                    : Spread.of(moves).median() / Spread.of(undisturbed()).median();
        }

        /** Returns the ratio of each window of the moves to an undisturbed one, alternately before and after them. */
        List<Double> pairs() {
            List<Double> pairs = new ArrayList<>();
            for (int i = 0; i < moves.size(); i++) {
                List<Double> side = i % 2 == 0 ? before : after;
                pairs.add(moves.get(i) / side.get(i / 2 % side.size()));
            }
            return pairs;
        }
    }

    /**
     * The entries of a node.
     *
     * @param node its name
     * @param entries how many it holds
     * @param weight its share relative to the others
     */
    record Rows(String node, long entries, int weight) {}

    /** Returns the entries of a node as a part of its weighted share. */
    double part(Rows node) {
        double weights = rows.stream().mapToInt(Rows::weight).sum();
        return node.entries() * weights / ((double) GrowthPlan.REPLICAS * keys * node.weight());
    }

    double greatestPart() {
        return rows.stream().mapToDouble(this::part).max().orElse(0);
    }

    /** Returns the entries that have moved. */
    double moved() {
        return (double) movedBytes / entryBytes;
    }

    /** Returns the moved entries as a multiple of the joined node's entries, which all had to move. */
    double movedRatio() {
        return moved() / Math.max(1, rows.get(rows.size() - 1).entries());
    }

    /** Returns the seconds that the moved bytes need at the set rate. */
    double secondsAtRate() {
        return (double) movedBytes / bytesPerSecond;
    }

    /** Returns the keys that were not found at the end. */
    long lost() {
        return keys - readBack.found();
    }

    private boolean keepsBounds() {
        return tails.values().stream().allMatch(tail -> tail.ratio() <= MOST_TAIL)
                && failed == 0
                && lost() == 0
                && greatestPart() <= MOST_ROWS
                && movedRatio() <= MOST_MOVED;
    }

    /**
     * Returns the sentence that answers the question.
     *
     * @param doubted whether there are doubts about the latencies
     */
    String conclusion(boolean doubted) {
        List<String> ratios = new ArrayList<>();
        new TreeMap<>(tails)
                .forEach((kind, tail) ->
                        ratios.add((tail.moves().isEmpty() ? "unknown" : Figures.of(tail.ratio()) + " times")
                                + " that of an " + "undisturbed " + kind));
        return String.format(
                Locale.ROOT,
                "%s: p99 was %s during the moves (wanted at most %s times%s); %s of %,d calls failed; %s of %,d keys "
                        + "was lost; a node has at most %s of its share (wanted at most %s), and %s times as many "
                        + "entries moved as had to (wanted at most %s), in %s s, of which the set rate explains %s s.",
                keepsBounds() ? "Within all bounds" : "Not within all bounds",
                String.join(" and ", ratios),
                Figures.of(MOST_TAIL),
                doubted ? "; the latencies are doubted" : "",
                failed == 0 ? "none" : String.format(Locale.ROOT, "%,d", failed),
                offered,
                lost() == 0 ? "none" : String.format(Locale.ROOT, "%,d", lost()),
                keys,
                Figures.of(greatestPart()),
                Figures.of(MOST_ROWS),
                Figures.of(movedRatio()),
                Figures.of(MOST_MOVED),
                Figures.of(seconds),
                Figures.of(secondsAtRate()));
    }
}
