package io.dht4j;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A contradiction between the clock of a node and the clocks of others. A node with this problem refuses writes.
 *
 * @param ahead the lead over the clock that differs most; negative if this node is behind
 * @param of the nodes whose clocks contradict this one, one or more
 */
public record ClockProblem(Duration ahead, List<NodeId> of) {

    /** Keeps a copy of the list. */
    public ClockProblem {
        of = List.copyOf(of);
    }

    /** Returns the difference and the nodes, for example {@code 120.0 s ahead of n2, n3}. */
    @Override
    public String toString() {
        Duration by = ahead.abs();
        return by.toSeconds() + "." + by.toMillisPart() / 100 + " s " + (ahead.isNegative() ? "behind " : "ahead of ")
                + of.stream().map(NodeId::value).collect(Collectors.joining(", "));
    }
}
