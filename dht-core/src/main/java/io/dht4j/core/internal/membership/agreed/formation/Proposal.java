package io.dht4j.core.internal.membership.agreed.formation;

import io.dht4j.Node;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.wire.ClusterSettings;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The settings that the founders of a cluster must have in common.
 *
 * @param founders the nodes, in the same order at each of them
 * @param settings the settings that never change, and a fingerprint of the placement's table, by name
 */
public record Proposal(List<Node> founders, ClusterSettings settings) {

    /** The name of the settings' fingerprint of the table. */
    static final String TABLE = ClusterSettings.TABLE;

    public Proposal {
        founders = List.copyOf(founders);
        if (founders.isEmpty() || founders.size() > Command.Form.MAX_FOUNDERS) {
            throw new IllegalArgumentException(
                    "a cluster is formed by 1 to " + Command.Form.MAX_FOUNDERS + " nodes, not " + founders.size());
        }
    }

    /** Returns the nodes in one line. */
    public String list() {
        return founders.stream()
                .map(node ->
                        node.id() + "=" + node.address() + (node.weight() == 1 ? "" : " of weight " + node.weight()))
                .collect(Collectors.joining(","));
    }

    /**
     * Compares two proposals.
     *
     * @param other the proposal of another node
     * @param here the name of the owner of this one
     * @param there the name of the owner of the other one
     * @return the differences, and the remedy; empty if they are equal
     */
    String differences(Proposal other, String here, String there) {
        if (!founders.equals(other.founders)) {
            return here + " bootstraps the nodes " + list() + ", and " + there + " the nodes " + other.list()
                    + ": start all of them with the same list in the same order";
        }
        Map<String, String> values = settings.values();
        return values.equals(other.settings.values())
                ? ""
                : here + " and " + there + " bootstrap with different settings, "
                        + settings.differences(other.settings, here, there) + ": start them with the same ones";
    }
}
