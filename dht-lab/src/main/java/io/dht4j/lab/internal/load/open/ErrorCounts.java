package io.dht4j.lab.internal.load.open;

import java.util.HashMap;
import java.util.Map;

/** Counts failures by name: a bounded number of names, and the rest together. Safe for use by any number of threads. */
final class ErrorCounts {

    /** The greatest number of names in a result. */
    static final int NAMES = 20;

    static final String OTHER = "other";

    // Guarded by this.
    private final Map<String, Long> counts = new HashMap<>();

    void add(String name, long count) {
        synchronized (this) {
            boolean known = counts.containsKey(name) || counts.size() < NAMES;
            counts.merge(known ? name : OTHER, count, Long::sum);
        }
    }

    synchronized Map<String, Long> byName() {
        return Map.copyOf(counts);
    }
}
