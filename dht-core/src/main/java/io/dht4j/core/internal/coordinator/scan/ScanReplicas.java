package io.dht4j.core.internal.coordinator.scan;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.ReplicationPolicy;
import io.dht4j.ScanScope;
import io.dht4j.UnavailableException;
import io.dht4j.Version;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.ReplicaOrder;
import io.dht4j.core.internal.coordinator.quorum.CallPolicy;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.ReplicaSlot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Chooses the replicas that a scan reads, and excludes those that fail. For one thread at a time.
 *
 * <p>A scan of the cluster reads {@code ack} of the first {@code from} slots of each partition, and one node of each
 * slot. For a slot that moves, this is the node that has the slot's content. The other one may have unacknowledged
 * entries, which matters for monotonic reads only; scans are not monotonic.
 *
 * <p>A scan of a snapshot reads all slots that have it, and the owner of a slot that moves. The heir has the snapshot
 * only if its copy was complete before. It is read if the owner is missing.
 */
final class ScanReplicas {

    private final ReplicaOrder order;
    private final CallPolicy policy;
    private final ScanScope scope;
    private final Optional<Version> snapshot;

    /** The nodes that have failed while the current page was read. */
    private final Set<NodeId> failed = new HashSet<>();
    /** The nodes that do not have the snapshot, and will not have it again. */
    private final Set<NodeId> gone = new HashSet<>();
    /** The partitions that are missing in nodes' snapshots. */
    private final Map<NodeId, PartitionSet> lacking = new HashMap<>();
    /** The last failure of each node that has sent no page. */
    private final Map<NodeId, PeerFailure> reasons = new TreeMap<>(Comparator.comparing(NodeId::value));

    ScanReplicas(ReplicaOrder order, CallPolicy policy, ScanScope scope, Optional<Version> snapshot) {
        this.order = order;
        this.policy = policy;
        this.scope = scope;
        this.snapshot = snapshot;
    }

    /** Begins a page: a node that failed at the last one may be back. */
    void beginPage() {
        failed.clear();
        failed.addAll(gone);
    }

    /** Returns whether a node has failed. */
    boolean isExcluded(Node node) {
        return failed.contains(node.id());
    }

    /** Excludes a node from the rest of the page. */
    void exclude(NodeId node) {
        failed.add(node);
    }

    /** Excludes a node that has sent no page: from the rest of the scan if it does not have the snapshot. */
    void exclude(PeerFailure failure) {
        failed.add(failure.node());
        reasons.put(failure.node(), failure);
        if (snapshot.isPresent() && failure.code() == ErrorCode.SNAPSHOT_GONE) {
            gone.add(failure.node());
        }
    }

    /** Excludes a node from some partitions of the snapshot for the rest of the scan. */
    void exclude(NodeId node, PartitionSet partitions) {
        lacking.merge(node, partitions, PartitionSet::union);
    }

    private boolean lacks(Node node, int partition) {
        PartitionSet without = lacking.get(node.id());
        return without != null && without.contains(partition);
    }

    /**
     * Chooses the replicas to read.
     *
     * @param view the nodes and the replicas of each partition
     * @param rest the part of the range that is not yet read
     * @return a cursor for each chosen node
     * @throws DhtException if too few replicas of a partition are left
     */
    List<ScanCursor> choose(ClusterView view, KeyRange rest) {
        if (scope == ScanScope.NODE) {
            return ofThisNode(view, rest);
        }
        Map<Node, PartitionSet.Builder> chosen = new HashMap<>();
        for (int partition = 0; partition < view.partitions(); partition++) {
            for (Node node : snapshot.isPresent() ? ofSnapshot(view, partition) : newest(view, partition)) {
                chosen.computeIfAbsent(node, each -> PartitionSet.builder()).add(partition);
            }
        }
        List<ScanCursor> cursors = new ArrayList<>(chosen.size());
        chosen.forEach((node, set) -> cursors.add(new ScanCursor(node, set.build(), rest)));
        return cursors;
    }

    /** Chooses the partitions that this node owns and has completely. */
    private static List<ScanCursor> ofThisNode(ClusterView view, KeyRange rest) {
        Node self = view.topology().node(view.self()).orElseThrow();
        if (!view.hasRowVersions()) {
            return List.of(new ScanCursor(self, PartitionSet.empty(), rest));
        }
        PartitionSet held = view.held();
        return held.isEmpty() ? List.of() : List.of(new ScanCursor(self, held, rest));
    }

    private List<Node> newest(ClusterView view, int partition) {
        ReplicationPolicy needed = policy.in(view, partition);
        List<Node> replicas = new ArrayList<>(order.readers(view, partition, needed.from()));
        replicas.removeIf(this::isExcluded);
        if (replicas.size() < needed.ack()) {
            throw new UnavailableException(
                    ErrorCode.NOT_ENOUGH_REPLICAS,
                    replicas.size() + " of " + needed.ack() + " needed replicas answer for partition " + partition
                            + failures() + filling(view, partition));
        }
        return replicas.subList(0, needed.ack());
    }

    private String failures() {
        return failed.stream()
                .sorted(Comparator.comparing(NodeId::value))
                .map(node -> reasons.containsKey(node) ? "; " + reasons.get(node) : "; " + node + ": has failed")
                .collect(Collectors.joining());
    }

    private String filling(ClusterView view, int partition) {
        return view.movingSlot(partition, policy.in(view, partition).from())
                .filter(slot -> slot.reader().isEmpty())
                .map(slot -> "; not read: " + slot.heir().id() + ", which is being filled in place of a dead node")
                .orElse("");
    }

    private List<Node> ofSnapshot(ClusterView view, int partition) {
        List<Node> replicas = new ArrayList<>();
        List<Node> heirs = new ArrayList<>(1);
        ReplicationPolicy needed = policy.in(view, partition);
        for (ReplicaSlot slot : view.slots(partition, needed.from())) {
            for (Node node : slot.complete()) {
                if (!isExcluded(node) && !lacks(node, partition)) {
                    (node.equals(slot.owner()) ? replicas : heirs).add(node);
                    break;
                }
            }
        }
        if (replicas.size() < needed.ack()) {
            replicas.addAll(heirs);
        }
        leaveOutSuspects(replicas, needed.ack());
        if (replicas.size() < needed.ack()) {
            throw missing(view, partition, replicas.size(), needed);
        }
        return replicas;
    }

    private DhtException missing(ClusterView view, int partition, int have, ReplicationPolicy needed) {
        List<String> why = new ArrayList<>();
        reasons.values().forEach(failure -> why.add(failure.toString()));
        view.replicas(partition, needed.from()).stream()
                .filter(node -> lacks(node, partition))
                .forEach(node -> why.add(node.id() + ": the partition was moved there after the snapshot was opened"));
        boolean isGone = !gone.isEmpty() || why.size() > reasons.size();
        return DhtException.of(
                isGone ? ErrorCode.SNAPSHOT_GONE : ErrorCode.NOT_ENOUGH_REPLICAS,
                "snapshot " + snapshot.orElseThrow() + ": " + have + " of " + needed.ack()
                        + " needed replicas bring it for partition " + partition + "; " + String.join("; ", why)
                        + filling(view, partition));
    }

    /** Removes suspected nodes unless they are needed: a silent node costs a page its whole timeout. */
    private void leaveOutSuspects(List<Node> replicas, int needed) {
        for (int i = replicas.size() - 1; i >= 0 && replicas.size() > needed; i--) {
            if (order.isSuspected(replicas.get(i))) {
                replicas.remove(i);
            }
        }
    }
}
