package io.dht4j.benchmarks.counters;

import java.util.HashMap;
import java.util.Map;

/**
 * Sums up counters of threads that come and go. Of one that has ended it keeps what was seen last. Safe for use by any
 * number of threads.
 */
final class PerThread {

    private Map<Long, Long> last = Map.of();
    private long ended;

    /**
     * Takes a new look.
     *
     * @param now counter by the thread's number, of those that live
     * @return the sum over all threads ever seen, which never falls
     */
    synchronized long total(Map<Long, Long> now) {
        long sum = 0;
        for (Map.Entry<Long, Long> before : last.entrySet()) {
            Long value = now.get(before.getKey());
            // One that is less belongs to a new thread that was given the number of one that ended.
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
