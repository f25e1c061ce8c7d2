package io.dht4j.core.internal.membership.agreed.peer;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.Remedies;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks the addresses of members at which nodes of other clusters answer, and the clusters whose nodes call this one.
 * Such a node has usually been started with an empty directory and an option that forms a cluster. Each is logged once.
 * Safe for use by any number of threads.
 */
public final class ForeignNodes {

    private static final Logger LOG = LoggerFactory.getLogger(ForeignNodes.class);

    /** The maximum number of clusters of callers that are logged. */
    private static final int MOST_CALLERS = 16;

    private final NodeId self;
    /** The addresses by the last answers. Bounded, as those below, by the number of nodes that are asked. */
    private final Map<NodeId, String> addresses = new ConcurrentHashMap<>();

    private final Set<NodeId> asked = ConcurrentHashMap.newKeySet();
    private final Map<NodeId, UUID> logged = new ConcurrentHashMap<>();
    private final Set<UUID> callers = ConcurrentHashMap.newKeySet();

    ForeignNodes(NodeId self) {
        this.self = self;
    }

    /** Returns the address of a member at which a node of another cluster has answered last; empty if none has. */
    public Optional<String> at(NodeId member) {
        return Optional.ofNullable(addresses.get(member));
    }

    /** Returns whether a node must be asked for its cluster, since no request does so yet. */
    boolean begin(NodeId node) {
        return asked.add(node);
    }

    void end(NodeId node) {
        asked.remove(node);
    }

    /** Records that a member has answered, or that no process runs at its address. */
    void gone(NodeId node) {
        addresses.remove(node);
    }

    /** Records that a node of another cluster has answered. */
    void answered(Node node, UUID theirs, UUID own) {
        addresses.put(node.id(), node.address());
        if (!theirs.equals(logged.put(node.id(), theirs))) {
            LOG.warn(
                    "a node of another cluster answers at {}, the address of {}: it belongs to the cluster {}, and this"
                            + " node to {}. Stop it, and {}",
                    node.address(),
                    node.id(),
                    theirs,
                    own,
                    remedy(node.id()));
        }
    }

    /**
     * Records that a node of another cluster considers this one a member of its own.
     *
     * @param sender the node
     * @param theirs its cluster
     * @param own the cluster of this node
     */
    public void called(NodeId sender, UUID theirs, UUID own) {
        if (callers.size() < MOST_CALLERS && callers.add(theirs)) {
            LOG.warn(
                    "{}, of the cluster {}, calls this node as a member of it, and this node belongs to the cluster {}."
                            + " If {} was to return to the other one, stop it, and {}",
                    sender,
                    theirs,
                    own,
                    self,
                    remedy(self));
        }
    }

    private static String remedy(NodeId node) {
        return "start " + node + " with its own data directory, or, if that is lost, " + Remedies.replace(node)
                + " at another node and start it with an empty directory and Membership.join";
    }
}
