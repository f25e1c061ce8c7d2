package io.dht4j.testkit;

/**
 * The share of a full search that this test run executes, for tests that search seeds or schedules for rare failures.
 * The system property {@value #PROPERTY} sets the share in percent, from 1 to 100; the default is 100. Some searches
 * have two sizes only: full, and a smaller one for every share below 100. Thread-safe.
 */
public final class SearchEffort {

    /** The name of the system property. */
    public static final String PROPERTY = "dht.search.percent";

    private SearchEffort() {}

    /**
     * Returns the number of steps of a search in this run. Does not block.
     *
     * @param whole the number of steps of the full search, at least 1
     * @return from 1 to {@code whole}, rounded up
     * @throws IllegalArgumentException if the property is no number from 1 to 100
     */
    public static int of(int whole) {
        return Math.toIntExact(((long) whole * percent() + 99) / 100);
    }

    /**
     * Returns whether this run executes every step of a search. Does not block.
     *
     * @return false if it omits steps
     * @throws IllegalArgumentException if the property is no number from 1 to 100
     */
    public static boolean isWhole() {
        return percent() == 100;
    }

    private static int percent() {
        String value = System.getProperty(PROPERTY, "100");
        if (!value.matches("[1-9][0-9]?|100")) {
            throw new IllegalArgumentException(
                    PROPERTY + " must be a whole number from 1 to 100, not \"" + value + "\"");
        }
        return Integer.parseInt(value);
    }
}
