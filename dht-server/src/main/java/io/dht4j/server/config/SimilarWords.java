package io.dht4j.server.config;

import io.dht4j.PrintableText;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Suggests words that are similar to a mistyped one. */
public final class SimilarWords {

    /** The number of letters for which one typing error is accepted. */
    private static final int LETTERS_PER_ERROR = 3;

    private static final int MOST = 3;
    private static final int LONGEST_WORD = 64;

    private SimilarWords() {}

    /**
     * Suggests words for an unknown one.
     *
     * @param unknown the word
     * @param words the known words
     * @return a line for the user; empty if nothing is similar
     */
    public static Optional<String> suggestion(String unknown, Collection<String> words) {
        return suggestion(unknown, words, "");
    }

    /**
     * Suggests words for an unknown one, where all begin with a prefix that no argument has.
     *
     * @param unknown the word
     * @param words the known words
     * @param prefix what the line puts before each word
     * @return a line for the user; empty if nothing is similar
     */
    public static Optional<String> suggestion(String unknown, Collection<String> words, String prefix) {
        List<String> similar =
                similar(unknown, words).stream().map(prefix::concat).toList();
        return similar.isEmpty()
                ? Optional.empty()
                : Optional.of("Did you mean " + PrintableText.of(String.join(" or ", similar)) + "?");
    }

    /** Returns the most similar words, all that are equally near. */
    private static List<String> similar(String unknown, Collection<String> words) {
        String bare = unknown.replaceFirst("^-+", "");
        if (bare.isEmpty() || bare.length() > LONGEST_WORD) {
            return List.of();
        }
        int most = Math.max(1, bare.length() / LETTERS_PER_ERROR);
        int least = Integer.MAX_VALUE;
        Set<String> nearest = new LinkedHashSet<>();
        for (String word : words) {
            String name = word.replaceFirst("^-+", "");
            // An unfinished word counts as one error.
            boolean isBegun = bare.length() > 1 && name.startsWith(bare);
            int errors = isBegun ? 1 : errors(bare, name);
            if (errors > most || errors > least || (errors >= name.length() && !isBegun)) {
                continue;
            }
            if (errors < least) {
                nearest.clear();
                least = errors;
            }
            nearest.add(word);
        }
        return nearest.stream().limit(MOST).toList();
    }

    /**
     * Returns the number of letters left out, added, exchanged, or swapped with the next one (the distance of optimal
     * string alignment).
     */
    private static int errors(String from, String to) {
        int[][] distance = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                if (i == 0 || j == 0) {
                    distance[i][j] = i + j;
                    continue;
                }
                int exchanged = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
                int least = Math.min(distance[i - 1][j] + 1, distance[i][j - 1] + 1);
                least = Math.min(least, distance[i - 1][j - 1] + exchanged);
                boolean isSwapped = i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1);
                distance[i][j] = isSwapped ? Math.min(least, distance[i - 2][j - 2] + 1) : least;
            }
        }
        return distance[from.length()][to.length()];
    }
}
