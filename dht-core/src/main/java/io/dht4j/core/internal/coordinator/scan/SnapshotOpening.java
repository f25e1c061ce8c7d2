package io.dht4j.core.internal.coordinator.scan;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.ReplicationPolicy;
import io.dht4j.UnavailableException;
import io.dht4j.Version;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.peer.Outgoing;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.snapshot.Snapshots;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Environment;
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
import java.util.stream.Collectors;

/**
 * Begins a snapshot of the whole cluster, in two rounds. In the first every node begins to keep what writes supersede,
 * and tells its clock. The version that is then given is newer than all of them, so that no node has lost what it had
 * at that version; in the second round every node goes past it, and waits until its own writes have ended that may be
 * older. From then on what the nodes tell of that version does not change any more.
 *
 * <p>Nodes that do not answer are left out, as long as {@code ack} of the first {@code from} replicas of each partition
 * remain. Whoever is left out, or all if there is no snapshot, is told to forget at once what it keeps for it.
 */
public final class SnapshotOpening {

    private final NodeComponents parts;
    private final ReplicaClient peers;
    private final HybridClock clock;
    private final Snapshots cuts;
    private final ReplicationPolicy policy;
    private final CallContext context;
    private final Version id;
    /** How long those who are to forget may take: as long as the opening, which may be over by then. */
    private final long endNanos;

    private final CompletableFuture<Version> result = new CompletableFuture<>();

    private SnapshotOpening(
            NodeComponents parts,
            ReplicaClient peers,
            HybridClock clock,
            Snapshots cuts,
            ReplicationPolicy policy,
            CallContext context) {
        this.parts = parts;
        this.peers = peers;
        this.clock = clock;
        this.cuts = cuts;
        this.policy = policy;
        this.context = context;
        this.id = clock.next();
        this.endNanos = Math.max(1, context.remainingNanos());
    }

    public static CompletableFuture<Version> start(
            NodeComponents parts,
            ReplicaClient peers,
            HybridClock clock,
            Snapshots cuts,
            ReplicationPolicy policy,
            long leaseNanos,
            CallContext context) {
        SnapshotOpening opening = new SnapshotOpening(parts, peers, clock, cuts, policy, context);
        opening.begin(leaseNanos);
        return opening.result;
    }

    private void begin(long leaseNanos) {
        // Who says nothing must leave time for the second round.
        new Round(new Request.OpenCut(id, leaseNanos), this::opened)
                .ask(parts.topology().nodes(), context.remainingNanos() / 2);
    }

    private void opened(Round round) {
        Map<Node, Reply> replies = round.replies();
        List<Node> nodes = new ArrayList<>();
        replies.forEach((node, reply) -> {
            if (reply instanceof Reply.CutOpened opened && clock.observe(opened.clock())) {
                nodes.add(node);
            } else {
                round.note(node, "its clock is more than " + clock.maxSkewMillis() + " ms ahead of this node's");
            }
        });
        if (!isEnough(nodes, round)) {
            return;
        }
        leaveOut(parts.topology().nodes(), nodes);
        Version at = clock.next();
        if (nodes.stream().anyMatch(node -> node.id().equals(parts.self()))) {
            fix(at, nodes);
        } else {
            // Its own writes are nobody else's to wait for: those of a member without a store, or of a node that takes
            // no part since it must not be read.
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
                parts.environment().schedule(() -> ended.complete(false), Math.max(1, context.remainingNanos()));
        cuts.writesSoFar().whenComplete((done, error) -> ended.complete(!context.isExpired()));
        ended.thenAccept(inTime -> {
            deadline.cancel();
            guarded(() -> then.accept(inTime));
        });
    }

    private void fix(Version at, List<Node> nodes) {
        new Round(new Request.FixCut(id, at), fixed -> {
                    Set<Node> taking = fixed.replies().keySet();
                    if (isEnough(taking, fixed)) {
                        leaveOut(nodes, taking);
                        result.complete(at);
                    }
                })
                .ask(nodes, context.remainingNanos());
    }

    /** What they keep for this snapshot nobody will read; a node that did not answer may keep it all the same. */
    private void leaveOut(Collection<Node> all, Collection<Node> taking) {
        List<Node> others = new ArrayList<>(all);
        others.removeAll(taking);
        tellEnd(parts, peers, others, id, endNanos, () -> {});
    }

    private boolean isEnough(Collection<Node> nodes, Round round) {
        Set<Node> have = new HashSet<>(nodes);
        for (int partition = 0; partition < parts.table().partitions(); partition++) {
            long replicas = parts.table().replicas(partition, policy.from()).stream()
                    .filter(have::contains)
                    .count();
            if (replicas < policy.ack()) {
                fail("no snapshot: " + replicas + " of " + policy.ack() + " needed replicas take part for partition "
                        + partition + round.reasons());
                return false;
            }
        }
        return true;
    }

    private void fail(String message) {
        leaveOut(parts.topology().nodes(), List.of());
        result.completeExceptionally(new UnavailableException(ErrorCode.NOT_ENOUGH_REPLICAS, message));
    }

    /** Tells every node that a snapshot is over. Those that it does not reach forget it when its lease runs out. */
    public static CompletableFuture<Void> end(
            NodeComponents parts, ReplicaClient peers, Version version, CallContext context) {
        CompletableFuture<Void> told = new CompletableFuture<>();
        tellEnd(
                parts,
                peers,
                parts.topology().nodes(),
                version,
                Math.max(1, context.remainingNanos()),
                () -> told.complete(null));
        return told;
    }

    private static void tellEnd(
            NodeComponents parts,
            ReplicaClient peers,
            Collection<Node> nodes,
            Version version,
            long nanos,
            Runnable then) {
        if (nodes.isEmpty()) {
            then.run();
        } else {
            askAll(parts, peers, nodes, new Request.EndCut(version), nanos, outcomes -> then.run());
        }
    }

    /** What goes wrong is told to the one who wants the snapshot. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            result.completeExceptionally(
                    e instanceof DhtException ? e : DhtException.of(ErrorCode.INTERNAL, "snapshot: " + e));
            leaveOut(parts.topology().nodes(), List.of());
        }
    }

    /** One request to several nodes, until each has answered or the time is over. */
    private final class Round {

        private final Request request;
        private final Consumer<Round> then;
        private Map<Node, Object> outcomes = Map.of();
        private final Map<String, String> notes = new TreeMap<>();

        Round(Request request, Consumer<Round> then) {
            this.request = request;
            this.then = then;
        }

        void ask(Collection<Node> nodes, long nanos) {
            askAll(parts, peers, nodes, request, Math.max(1, nanos), came -> {
                outcomes = came;
                nodes.forEach(node -> {
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

    /** Hands on what has come when it is complete or the time is over, once. */
    private static void askAll(
            NodeComponents parts,
            ReplicaClient peers,
            Collection<Node> nodes,
            Request request,
            long nanos,
            Consumer<Map<Node, Object>> then) {
        CallContext context = new CallContext(parts.environment()::nanoTime, nanos);
        Map<Node, Object> outcomes = new LinkedHashMap<>();
        CompletableFuture<Void> complete = new CompletableFuture<>();
        Environment.Timer deadline = parts.environment().schedule(() -> complete.complete(null), nanos);
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
            peers.ask(node, Outgoing.alone(request), context, new ReplyHandler() {
                @Override
                public void replied(Reply reply) {
                    came(reply);
                }

                @Override
                public void failed(PeerFailure failure) {
                    came(failure);
                }

                private void came(Object outcome) {
                    boolean last;
                    synchronized (outcomes) {
                        outcomes.put(node, outcome);
                        last = outcomes.size() == asked;
                    }
                    if (last) {
                        complete.complete(null);
                    }
                }
            });
        }
    }
}
