package io.dht4j.core.internal.coordinator.scan;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.ReplicationPolicy;
import io.dht4j.UnavailableException;
import io.dht4j.Version;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.peer.OutboundRequest;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.Replanning;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.coordinator.quorum.CallPolicy;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.snapshot.Snapshots;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.FencingToken;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Opens a snapshot of the whole cluster, in two phases. In the first, every node begins to keep the entries that writes
 * supersede, and reports its clock. The version of the snapshot is newer than all these clocks, so that no node has
 * lost an entry that it had at that version. In the second phase, every node advances its clock past the version and
 * waits for those of its own writes that may be older. From then on the content at that version is constant.
 *
 * <p>Nodes that do not answer are left out, as long as {@code ack} of the first {@code from} replicas of each partition
 * remain. The nodes that are left out, or all if there is no snapshot, are requested to drop it.
 */
public final class SnapshotOpening {

    private final NodeComponents components;
    private final ClusterView view;
    private final ReplicaClient client;
    private final HybridClock clock;
    private final Snapshots snapshots;
    private final CallPolicy policy;
    private final CallContext context;
    private final Version id;
    /** The timeout of the requests to drop the snapshot: as long as that of the opening, which may be over. */
    private final long endNanos;

    private final CompletableFuture<Version> result = new CompletableFuture<>();
    /** The refusal because of a newer table; null while there is none. */
    private volatile @Nullable PeerFailure stale;

    private SnapshotOpening(
            NodeComponents components,
            ReplicaClient client,
            HybridClock clock,
            Snapshots snapshots,
            CallPolicy policy,
            CallContext context) {
        this.components = components;
        this.view = components.view();
        this.client = client;
        this.clock = clock;
        this.snapshots = snapshots;
        this.policy = policy;
        this.context = context;
        this.id = clock.next();
        this.endNanos = Math.max(1, context.remainingNanos());
    }

    /**
     * Opens a snapshot.
     *
     * @param components the components of this node
     * @param client asks the nodes
     * @param clock issues the snapshot's version
     * @param snapshots this node's snapshots
     * @param policy the number of replicas that must take part
     * @param leaseNanos the time after which an unused snapshot ends
     * @param context the deadline
     * @return completes with the version of the snapshot; fails if too few replicas take part
     */
    public static CompletableFuture<Version> start(
            NodeComponents components,
            ReplicaClient client,
            HybridClock clock,
            Snapshots snapshots,
            CallPolicy policy,
            long leaseNanos,
            CallContext context) {
        return start(
                () -> new SnapshotOpening(components, client, clock, snapshots, policy, context),
                leaseNanos,
                Replanning.MAX_PLANS);
    }

    /** Opens a snapshot; opens another one if a node refuses to take part since its table is newer. */
    private static CompletableFuture<Version> start(Supplier<SnapshotOpening> openings, long leaseNanos, int plans) {
        SnapshotOpening opening = openings.get();
        opening.begin(leaseNanos);
        return opening.result
                .handle((at, error) -> {
                    PeerFailure stale = opening.stale;
                    if (error == null || stale == null || plans == 0 || opening.context.isExpired()) {
                        return opening.result;
                    }
                    return opening.hasNewerView(stale)
                            .thenCompose(newer -> newer ? start(openings, leaseNanos, plans - 1) : opening.result);
                })
                .thenCompose(next -> next);
    }

    /**
     * Completes with whether there is a newer view; at the deadline with false, however long a node is asked for it.
     */
    private CompletableFuture<Boolean> hasNewerView(PeerFailure refusal) {
        CompletableFuture<Boolean> found = new CompletableFuture<>();
        long remaining = Math.max(1, context.remainingNanos());
        Environment.Timer deadline = components.environment().schedule(() -> found.complete(false), remaining);
        client.refresh().newerThan(view.epoch(), refusal.node(), remaining).whenComplete((newer, none) -> {
            deadline.cancel();
            found.complete(none == null);
        });
        return found;
    }

    private void begin(long leaseNanos) {
        // Silent nodes leave time for the second phase.
        new Phase(new Request.OpenSnapshot(id, leaseNanos), this::opened)
                .ask(view.topology().nodes(), context.remainingNanos() / 2);
    }

    private void opened(Phase phase) {
        Map<Node, Reply> replies = phase.replies();
        List<Node> nodes = new ArrayList<>();
        replies.forEach((node, reply) -> {
            if (reply instanceof Reply.SnapshotOpened opened && clock.observe(opened.clock())) {
                nodes.add(node);
            } else {
                phase.note(node, "its clock is more than " + clock.maxSkewMillis() + " ms ahead of this node's");
            }
        });
        if (!isEnough(nodes, phase)) {
            return;
        }
        leaveOut(view.topology().nodes(), nodes);
        Version at = clock.next();
        if (nodes.stream().anyMatch(node -> node.id().equals(components.self()))) {
            fix(at, nodes);
        } else {
            // No other node waits for the writes of a member without a store, or of a node that takes no part because
            // it refuses reads.
            awaitOwnWrites(inTime -> {
                if (inTime) {
                    fix(at, nodes);
                } else {
                    fail("no snapshot: writes of this member that may be older have not ended in time");
                }
            });
        }
    }

    private void awaitOwnWrites(Consumer<Boolean> then) {
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        Environment.Timer deadline =
                components.environment().schedule(() -> ended.complete(false), Math.max(1, context.remainingNanos()));
        snapshots.writesSoFar().whenComplete((done, error) -> ended.complete(!context.isExpired()));
        ended.thenAccept(inTime -> {
            deadline.cancel();
            guarded(() -> then.accept(inTime));
        });
    }

    private void fix(Version at, List<Node> nodes) {
        new Phase(new Request.FixSnapshot(id, at), fixed -> {
                    Set<Node> taking = fixed.replies().keySet();
                    if (isEnough(taking, fixed)) {
                        leaveOut(nodes, taking);
                        result.complete(at);
                    }
                })
                .ask(nodes, context.remainingNanos());
    }

    /** Requests nodes to drop the snapshot; a node that did not answer may still have begun it. */
    private void leaveOut(Collection<Node> all, Collection<Node> taking) {
        List<Node> others = new ArrayList<>(all);
        others.removeAll(taking);
        drop(components, client, others, id, endNanos, () -> {});
    }

    private boolean isEnough(Collection<Node> nodes, Phase phase) {
        Set<Node> have = new HashSet<>(nodes);
        for (int partition = 0; partition < view.partitions(); partition++) {
            ReplicationPolicy needed = policy.in(view, partition);
            long replicas = view.slots(partition, needed.from()).stream()
                    .filter(slot -> slot.complete().stream().anyMatch(have::contains))
                    .count();
            if (replicas < needed.ack()) {
                fail("no snapshot: " + replicas + " of " + needed.ack() + " needed replicas take part for partition "
                        + partition + phase.reasons());
                return false;
            }
        }
        return true;
    }

    private void fail(String message) {
        leaveOut(view.topology().nodes(), List.of());
        result.completeExceptionally(new UnavailableException(ErrorCode.NOT_ENOUGH_REPLICAS, message));
    }

    /**
     * Ends a snapshot on every node. Nodes that cannot be reached drop it when its lease ends.
     *
     * @param components the components of this node
     * @param client asks the nodes
     * @param version the snapshot
     * @param context the deadline
     * @return completes when all nodes have answered, or after the deadline
     */
    public static CompletableFuture<Void> end(
            NodeComponents components, ReplicaClient client, Version version, CallContext context) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        drop(
                components,
                client,
                components.view().topology().nodes(),
                version,
                Math.max(1, context.remainingNanos()),
                () -> ended.complete(null));
        return ended;
    }

    private static void drop(
            NodeComponents components,
            ReplicaClient client,
            Collection<Node> nodes,
            Version version,
            long nanos,
            Runnable then) {
        if (nodes.isEmpty()) {
            then.run();
        } else {
            askAll(components, client, nodes, new Request.EndSnapshot(version), null, nanos, outcomes -> then.run());
        }
    }

    /** Runs a step; a failure of it fails the opening. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            result.completeExceptionally(
                    e instanceof DhtException ? e : DhtException.of(ErrorCode.INTERNAL, "snapshot: " + e));
            leaveOut(view.topology().nodes(), List.of());
        }
    }

    /** One request to several nodes, until each has answered or the time is over. */
    private final class Phase {

        private final Request request;
        private final Consumer<Phase> then;
        private Map<Node, Object> outcomes = Map.of();
        private final Map<String, String> notes = new TreeMap<>();

        Phase(Request request, Consumer<Phase> then) {
            this.request = request;
            this.then = then;
        }

        void ask(Collection<Node> nodes, long nanos) {
            FencingToken token = view.token(PartitionSet.empty());
            askAll(components, client, nodes, request, token, Math.max(1, nanos), came -> {
                outcomes = came;
                nodes.forEach(node -> {
                    if (came.get(node) instanceof PeerFailure failure && Replanning.isStale(failure, token)) {
                        stale = failure;
                    }
                    if (!(came.get(node) instanceof Reply)) {
                        note(node, came.get(node) instanceof PeerFailure failure ? failure.message() : "no answer");
                    }
                });
                guarded(() -> then.accept(this));
            });
        }

        void note(Node node, String why) {
            notes.put(node.id().value(), why);
        }

        Map<Node, Reply> replies() {
            Map<Node, Reply> replies = new LinkedHashMap<>();
            outcomes.forEach((node, outcome) -> {
                if (outcome instanceof Reply reply) {
                    replies.put(node, reply);
                }
            });
            return replies;
        }

        String reasons() {
            return notes.entrySet().stream()
                    .map(note -> "; " + note.getKey() + ": " + note.getValue())
                    .collect(Collectors.joining());
        }
    }

    /** Asks several nodes. Passes on their outcomes once, when all have arrived or the time is over. */
    private static void askAll(
            NodeComponents components,
            ReplicaClient client,
            Collection<Node> nodes,
            Request request,
            @Nullable FencingToken token,
            long nanos,
            Consumer<Map<Node, Object>> then) {
        CallContext context = client.context(Duration.ofNanos(nanos));
        Map<Node, Object> outcomes = new LinkedHashMap<>();
        CompletableFuture<Void> complete = new CompletableFuture<>();
        Environment.Timer deadline = components.environment().schedule(() -> complete.complete(null), nanos);
        int asked = nodes.size();
        complete.thenRun(() -> {
            deadline.cancel();
            Map<Node, Object> came;
            synchronized (outcomes) {
                came = new LinkedHashMap<>(outcomes);
            }
            then.accept(came);
        });
        for (Node node : nodes) {
            Consumer<Object> received = outcome -> {
                boolean last;
                synchronized (outcomes) {
                    outcomes.put(node, outcome);
                    last = outcomes.size() == asked;
                }
                if (last) {
                    complete.complete(null);
                }
            };
            client.ask(node, OutboundRequest.alone(request, token), context, ReplyHandler.of(received, received));
        }
    }
}
