package io.dht4j;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * How the clock of a node contradicts those of others, so that it takes no writes.
 *
 * @param ahead by how much it is ahead of the one that differs most; negative if it is behind
 * @param of the nodes whose clocks contradict it, one or more
 */
public record ClockProblem(Duration ahead, List<NodeId> of) {

    /** Keeps a copy of the list. */
    public ClockProblem {
        of = List.copyOf(of);
    }

    /** For example {@code 120.0 s ahead of n2, n3}. */
    @Override
    public String toString() {
        Duration by = ahead.abs();
        return by.toSeconds() + "." + by.toMillisPart() / 100 + " s " + (ahead.isNegative() ? "behind " : "ahead of ")
                + of.stream().map(NodeId::value).collect(Collectors.joining(", "));
    }
}
