package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.detection.Suspicion;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.ReplicaSlot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Orders replicas for their choice and for the sending of requests. Does not block; safe for use by any number of
 * threads.
 */
public final class ReplicaOrder {

    private final NodeId self;
    private final Suspicion suspicion;

    /**
     * Creates the order of one node.
     *
     * @param self this node
     * @param suspicion the suspected nodes, which will probably not answer
     */
    public ReplicaOrder(NodeId self, Suspicion suspicion) {
        this.self = self;
        this.suspicion = suspicion;
    }

    /**
     * Returns whether a node is this one.
     *
     * @param node any node
     * @return true for this node
     */
    public boolean isLocal(Node node) {
        return node.id().equals(self);
    }

    /**
     * Returns whether a node will probably not answer.
     *
     * @param node any node
     * @return true if it is suspected; never for this node
     */
    public boolean isSuspected(Node node) {
        return !isLocal(node) && suspicion.isSuspected(node.id());
    }

    /**
     * Returns how long a node may be silent before it is suspected.
     *
     * @return nanoseconds
     */
    public long patienceNanos() {
        return suspicion.patienceNanos();
    }

    /**
     * Sorts replicas by preference: this node, then those that will probably answer, then the suspected ones.
     *
     * @param replicas replicas in the order of the partition table
     * @return the list itself if it is in this order
     */
    public List<Node> byPreference(List<Node> replicas) {
        Set<NodeId> suspects = suspicion.suspects();
        if (suspects.isEmpty()) {
            return localFirst(replicas);
        }
        List<Node> order = new ArrayList<>(replicas);
        order.sort(Comparator.comparingInt(node -> isLocal(node) ? 0 : suspects.contains(node.id()) ? 2 : 1));
        return order;
    }

    /**
     * Returns the nodes that are read for a partition, one for each slot, by preference. The slot that moves comes
     * after the others, whose answers may suffice, but before the suspected nodes. A slot whose node is still
     * incomplete is left out.
     *
     * @param view the view
     * @param partition the partition
     * @param from the number of slots
     * @return the nodes; one less than {@code from} if the content of a slot is being copied from the others
     */
    public List<Node> readers(ClusterView view, int partition, int from) {
        List<Node> replicas = view.replicas(partition, from);
        Optional<ReplicaSlot> moving = view.movingSlot(partition, from);
        return moving.isEmpty() ? byPreference(replicas) : readers(replicas, moving.get());
    }

    private List<Node> readers(List<Node> replicas, ReplicaSlot moving) {
        List<Node> stable =
                replicas.stream().filter(node -> !moving.isOf(node.id())).toList();
        List<Node> readers = new ArrayList<>(byPreference(stable));
        moving.reader().ifPresent(reader -> {
            int index = readers.size();
            while (index > 0 && !isSuspected(reader) && isSuspected(readers.get(index - 1))) {
                index--;
            }
            readers.add(index, reader);
        });
        return readers;
    }

    /**
     * Returns how many slots of a partition will probably not acknowledge a write.
     *
     * @param view the view
     * @param partition the partition
     * @param from the number of slots
     * @return the slots with a suspected node; both nodes of a moving slot must acknowledge
     */
    public int suspectedSlots(ClusterView view, int partition, int from) {
        Optional<ReplicaSlot> moving = view.movingSlot(partition, from);
        int others = 0;
        int ofMoving = 0;
        for (Node node : view.replicas(partition, from)) {
            if (isSuspected(node)) {
                if (moving.isPresent() && moving.get().isOf(node.id())) {
                    ofMoving = 1;
                } else {
                    others++;
                }
            }
        }
        return others + ofMoving;
    }

    private List<Node> localFirst(List<Node> replicas) {
        for (int i = 1; i < replicas.size(); i++) {
            if (isLocal(replicas.get(i))) {
                List<Node> order = new ArrayList<>(replicas);
                order.add(0, order.remove(i));
                return order;
            }
        }
        return replicas;
    }

    /**
     * Sends to each of some replicas, to the local one last: it may do its work on this thread, which would delay the
     * others.
     *
     * @param replicas different replicas
     * @param send called once for each
     */
    public void localLast(List<Node> replicas, Consumer<Node> send) {
        Node local = null;
        for (int i = 0; i < replicas.size(); i++) {
            Node node = replicas.get(i);
            if (isLocal(node)) {
                local = node;
            } else {
                send.accept(node);
            }
        }
        if (local != null) {
            send.accept(local);
        }
    }

    /**
     * Sends a different request to each of some replicas, to the local one last as {@link #localLast(List, Consumer)}.
     *
     * @param groups the request of each replica
     * @param send called once for each replica
     * @param <T> the request of a replica
     */
    public <T> void localLast(Map<Node, T> groups, BiConsumer<Node, T> send) {
        localLast(List.copyOf(groups.keySet()), node -> send.accept(node, Objects.requireNonNull(groups.get(node))));
    }
}
