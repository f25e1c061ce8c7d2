package io.dht4j.benchmarks.results;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Reasons to doubt figures, by kind. Reasons of one kind differ in numbers alone, such as the part of the time that a
 * collector took in each repetition.
 */
public final class Doubts {

    private static final Pattern LOAD_PROCESS = Pattern.compile("load process \\d+: ");
    private static final Pattern NUMBER = Pattern.compile("\\d[\\d,.]*( (µs|ms|s)\\b)?");

    private Doubts() {}

    /**
     * Returns the common part of reasons of the same kind.
     *
     * @param reason in words
     */
    public static String kind(String reason) {
        return NUMBER.matcher(LOAD_PROCESS.matcher(reason).replaceAll("")).replaceAll("#");
    }

    /**
     * Returns a text for each kind: its first reason, and how many more there are.
     *
     * @param reasons in words
     * @return in the order in which the kinds appear
     */
    public static List<String> byKind(List<String> reasons) {
        Map<String, List<String>> kinds = new LinkedHashMap<>();
        reasons.stream()
                .distinct()
                .forEach(reason -> kinds.computeIfAbsent(kind(reason), kind -> new ArrayList<>())
                        .add(reason));
        return kinds.values().stream().map(Doubts::text).toList();
    }

    /**
     * Returns the first of some reasons of one kind, and how many more there are.
     *
     * @param ofOneKind one or more
     */
    public static String text(List<String> ofOneKind) {
        int more = ofOneKind.size() - 1;
        return ofOneKind.get(0) + (more == 0 ? "" : " (and " + more + " more of this kind)");
    }
}
