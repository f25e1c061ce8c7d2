package io.dht4j.lab.internal.counters;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A reading of counters, or the difference of two.
 *
 * @param values by cost; unknown costs are absent
 */
public record Counters(Map<Cost, Long> values) {

    /** Keeps an unmodifiable copy. */
    public Counters {
        values = Map.copyOf(values);
    }

    /**
     * Returns the counts since another reading.
     *
     * @param before the earlier reading, of the same process or machine
     * @return the differences of costs in both
     */
    public Counters since(Counters before) {
        Map<Cost, Long> difference = new EnumMap<>(Cost.class);
        values.forEach((cost, value) -> {
            Long earlier = before.values.get(cost);
            if (earlier != null) {
                difference.put(cost, value - earlier);
            }
        });
        return new Counters(difference);
    }

    /**
     * Returns the sum of the costs of several processes.
     *
     * @param parts one of each process
     * @return the sums of costs that all have, since an incomplete sum would look like a low cost
     */
    public static Counters sum(List<Counters> parts) {
        Map<Cost, Long> sum = new EnumMap<>(Cost.class);
        for (Cost cost : Cost.values()) {
            if (!parts.isEmpty() && parts.stream().allMatch(part -> part.values.containsKey(cost))) {
                sum.put(
                        cost,
                        parts.stream()
                                .mapToLong(part -> part.values.getOrDefault(cost, 0L))
                                .sum());
            }
        }
        return new Counters(sum);
    }

    /**
     * Returns these and others.
     *
     * @param others of other costs
     * @return both
     * @throws IllegalArgumentException if a cost is in both
     */
    public Counters and(Counters others) {
        Map<Cost, Long> both = new EnumMap<>(Cost.class);
        both.putAll(values);
        for (Map.Entry<Cost, Long> other : others.values.entrySet()) {
            if (both.put(other.getKey(), other.getValue()) != null) {
                throw new IllegalArgumentException(other.getKey().label() + " is in both readings");
            }
        }
        return new Counters(both);
    }

    /**
     * Returns the average cost of an operation.
     *
     * @param operations number of operations
     * @return cost by its label, in the order of {@link Cost}; empty if there were none
     */
    public Map<String, Double> perOperation(long operations) {
        Map<String, Double> costs = new LinkedHashMap<>();
        if (operations > 0) {
            for (Cost cost : values.keySet().stream().sorted().toList()) {
                costs.put(cost.label(), (double) values.getOrDefault(cost, 0L) / operations);
            }
        }
        return costs;
    }
}
