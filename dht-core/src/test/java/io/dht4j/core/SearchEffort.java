package io.dht4j.core;

/** How far this test run goes in searches; the testkit, which depends on this module, has the same for the others. */
public final class SearchEffort {

    private SearchEffort() {}

    /** The part of so many steps that this run makes, at least one. */
    public static int of(int whole) {
        int percent = Integer.getInteger("dht.search.percent", 100);
        if (percent < 1 || percent > 100) {
            throw new IllegalArgumentException("dht.search.percent must be 1 to 100, not " + percent);
        }
        return (whole * percent + 99) / 100;
    }
}
