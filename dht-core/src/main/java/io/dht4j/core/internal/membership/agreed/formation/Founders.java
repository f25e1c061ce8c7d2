package io.dht4j.core.internal.membership.agreed.formation;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.state.VoterGroup;
import io.dht4j.spi.NodeRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The nodes that form a cluster, once all of them are known. Each node stores the list before it takes part in the log,
 * and before it is sent to others.
 *
 * @param cluster the identity of the new cluster
 * @param proposal the nodes and settings
 * @param incarnations the incarnation of each node, in the same order
 */
public record Founders(UUID cluster, Proposal proposal, List<UUID> incarnations) {

    public Founders {
        incarnations = List.copyOf(incarnations);
        if (incarnations.size() != proposal.founders().size()) {
            throw new IllegalArgumentException(incarnations.size() + " incarnations of "
                    + proposal.founders().size() + " nodes");
        }
    }

    /** Returns the incarnation of a node of the list; empty if it is none. */
    Optional<UUID> incarnation(NodeId node) {
        for (int i = 0; i < incarnations.size(); i++) {
            if (proposal.founders().get(i).id().equals(node)) {
                return Optional.of(incarnations.get(i));
            }
        }
        return Optional.empty();
    }

    /** Returns the node with an incarnation; empty if there is none. */
    public Optional<Node> node(UUID incarnation) {
        int place = incarnations.indexOf(incarnation);
        return place < 0 ? Optional.empty() : Optional.of(proposal.founders().get(place));
    }

    /** Returns the node of a name; empty if there is none. */
    public Optional<Node> node(NodeId name) {
        return proposal.founders().stream()
                .filter(founder -> founder.id().equals(name))
                .findFirst();
    }

    /** Returns how many of the nodes, from the first on, are the first voters: one below three nodes, else three. */
    int voters() {
        return VoterGroup.votersAmong(incarnations.size());
    }

    /** Returns the first voters in order, always the same at every node. */
    public List<NodeRef> voterRefs() {
        List<NodeRef> refs = new ArrayList<>();
        for (int i = 0; i < voters(); i++) {
            refs.add(new NodeRef(proposal.founders().get(i).id(), incarnations.get(i)));
        }
        return refs;
    }
}
