package io.dht4j.lab.internal.counters;

import java.util.HashMap;
import java.util.Map;

/**
 * Sums up counters of threads that start and end. It keeps the last value of an ended thread. Safe for use by any
 * number of threads.
 */
final class PerThread {

    private Map<Long, Long> last = Map.of();
    private long ended;

    /**
     * Reads the counters again.
     *
     * @param now counter of each live thread, by its id
     * @return the sum over all threads ever seen, which never decreases
     */
    synchronized long total(Map<Long, Long> now) {
        long sum = 0;
        for (Map.Entry<Long, Long> before : last.entrySet()) {
            Long value = now.get(before.getKey());
            // A lower value belongs to a new thread with the id of an ended one.
            if (value == null || value < before.getValue()) {
                ended += before.getValue();
            }
        }
        for (long value : now.values()) {
            sum += value;
        }
        last = new HashMap<>(now);
        return ended + sum;
    }
}
