package io.dht4j.simulator.internal.node;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.simulator.internal.membership.InstalledStates;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The nodes of a simulated cluster, and all disks that they have ever had. Confined to the simulation's thread. */
public final class SimulatedNodes {

    private final List<SimulatedNode> present = new ArrayList<>();
    private final List<SimulatedDisk> disks = new ArrayList<>();
    private final InstalledStates states = new InstalledStates();
    private SimulatedNode.@Nullable Lifecycle lifecycle;

    /** Creates an empty set of nodes. */
    public SimulatedNodes() {}

    /** Adds the nodes that are there from the beginning. */
    public void form(SimulatedNode.Lifecycle how, SplittableRandom random) {
        lifecycle = how;
        for (Node node : how.topology().nodes()) {
            present.add(new SimulatedNode(node, disk(node.id().value(), random.split()), how));
        }
    }

    /** Returns the nodes that have not left; changes with them. */
    public List<SimulatedNode> present() {
        return Collections.unmodifiableList(present);
    }

    /** Returns the names and addresses of the nodes that have not left. */
    public List<Node> list() {
        return present.stream().map(each -> each.node).toList();
    }

    /** Returns all disks that any node has ever had; grows with them. */
    public List<SimulatedDisk> disks() {
        return Collections.unmodifiableList(disks);
    }

    /** Returns the states that nodes have stored. */
    public InstalledStates states() {
        return states;
    }

    /** Adds a node that joins the cluster, and starts it. */
    public void join(NodeId name, SplittableRandom random) {
        SimulatedNode node = SimulatedNode.joining(
                Node.of(name.value(), "host-" + name + ":1"), disk(name.value(), random), factory());
        present.add(node);
        node.start();
    }

    /** Starts a node with an empty disk. The cluster may have removed it since. */
    public void restart(SimulatedNode node, SplittableRandom random) {
        if (!present.contains(node)) {
            present.add(node);
        }
        node.replace(disk(node.node.id() + "'", random));
        node.start();
    }

    /** Ends a node that the cluster has removed. */
    public void retire(SimulatedNode node) {
        if (present.remove(node)) {
            node.goAway();
            node.stop();
        }
    }

    /** Returns the nodes that a state has removed. */
    public List<SimulatedNode> removedBy(ClusterState state) {
        return present.stream()
                .filter(node -> member(state, node)
                        .filter(each -> each.lifecycle() == Lifecycle.REMOVED)
                        .isPresent())
                .toList();
    }

    /** Returns a node as a member of a state; empty if it has not joined. */
    public static Optional<Member> member(ClusterState state, SimulatedNode node) {
        return node.disk().incarnation().flatMap(state.members()::incarnation);
    }

    /** Returns the node with the number of a member, unless it has left. */
    public Optional<SimulatedNode> node(ClusterState state, int member) {
        return state.members()
                .get(member)
                .incarnation()
                .flatMap(incarnation -> present.stream()
                        .filter(node -> node.disk().incarnation().equals(Optional.of(incarnation)))
                        .findFirst());
    }

    /** Returns the node with a name, unless it has left. */
    public Optional<SimulatedNode> named(NodeId name) {
        return present.stream().filter(node -> node.node.id().equals(name)).findFirst();
    }

    /** Returns the disk of a member. */
    public Optional<SimulatedDisk> disk(UUID incarnation) {
        return disks.stream()
                .filter(disk -> disk.incarnation().equals(Optional.of(incarnation)))
                .findFirst();
    }

    private SimulatedNode.Lifecycle factory() {
        if (lifecycle == null) {
            throw new IllegalStateException("no node has formed a cluster");
        }
        return lifecycle;
    }

    private SimulatedDisk disk(String name, SplittableRandom random) {
        SimulatedDisk disk = new SimulatedDisk(name, random);
        disk.listen(note -> states.stored(disk.toString(), note));
        disks.add(disk);
        return disk;
    }
}
