package io.dht4j.testkit;

/**
 * How far this test run goes in searches for rare failures, such as those over seeds or schedules. The system property
 * {@value #PROPERTY} gives the share of a whole search, in percent, from 1 to 100. Searches are whole where it is not
 * set. Some searches know two sizes only: whole, and a smaller one for every share below 100. Thread-safe.
 */
public final class SearchEffort {

    /** The name of the system property. */
    public static final String PROPERTY = "dht.search.percent";

    private SearchEffort() {}

    /**
     * The part of a whole search that this run makes. Does not block.
     *
     * @param whole how many steps the whole search has, at least 1
     * @return from 1 to {@code whole}, rounded up
     * @throws IllegalArgumentException if the property is no number from 1 to 100
     */
    public static int of(int whole) {
        return Math.toIntExact(((long) whole * percent() + 99) / 100);
    }

    /**
     * Whether this run makes every step of a search. Does not block.
     *
     * @return false if it leaves steps out
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
