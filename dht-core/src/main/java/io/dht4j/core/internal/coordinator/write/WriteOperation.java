package io.dht4j.core.internal.coordinator.write;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Ordering;
import io.dht4j.ReplicationPolicy;
import io.dht4j.Version;
import io.dht4j.core.internal.coordinator.peer.OutboundRequest;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.Replanning;
import io.dht4j.core.internal.coordinator.peer.ReplicaOrder;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.coordinator.quorum.AckTracker;
import io.dht4j.core.internal.coordinator.quorum.CallPolicy;
import io.dht4j.core.internal.coordinator.quorum.RequestGroups;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.FencingToken;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One write of one or several entries: sends each to its first {@code from} replicas at the same time. Completes when
 * {@code ack} of them hold every entry as the newest of its key, or when that has become impossible for some entry.
 * Both nodes of a moving slot receive it, and give one answer.
 *
 * <p>A replica that holds a newer entry reports its version. When {@code ack} can no longer be reached for that reason,
 * or only with silent replicas, the entry gets a second version above the newest reported one, and is sent again. So a
 * write that was acknowledged before this one began never supersedes it, for any clocks. Answers to an earlier version
 * never count for a later one.
 *
 * <p>When a replica refuses an entry because of a newer table, the entry is sent again, with the same version, to the
 * replicas of that table. Answers to the earlier requests do not count then.
 */
public final class WriteOperation extends WriteDeadlines.Expiring {

    // Updaters instead of atomics, since there is an operation for each write.
    private static final AtomicIntegerFieldUpdater<WriteOperation> UNDECIDED =
            AtomicIntegerFieldUpdater.newUpdater(WriteOperation.class, "undecided");
    private static final AtomicLongFieldUpdater<WriteOperation> NEWEST =
            AtomicLongFieldUpdater.newUpdater(WriteOperation.class, "newest");

    private final WriteServices services;
    /** The view at the beginning. */
    private final ClusterView view;
    /** The later views; most writes have none. */
    private volatile @Nullable Replanning replanning;

    private final CallPolicy policy;
    /** Whether the newest versions were queried first: then a newer entry is of a concurrent write. */
    private final boolean newerCounts;

    private final MissedWrites missed;
    private final CallContext context;
    private final int size;
    /** The number of entries that are not yet acknowledged; read by the updater alone. */
    @SuppressWarnings("UnusedVariable")
    private volatile int undecided;
    /** The greatest version of the acknowledged entries, packed. */
    private volatile long newest;

    private final WriteResult result;
    /** The end of repeated offers, which leaves time to fail and to report why. */
    private final long offeredUntil;

    private volatile boolean maybeDone;
    /** Created with the first failure, which most writes do not have. */
    private volatile @Nullable WriteFailures failures;

    /** The last of the requests that were sent; a request that is offered again is not among them. */
    private volatile @Nullable Part sent;

    /** The entries with their first versions. */
    private final List<VersionedWrite> first;

    private WriteOperation(
            WriteServices services,
            ClusterView view,
            List<Entry> entries,
            CallPolicy policy,
            Ordering ordering,
            CallContext context,
            WriteResult result) {
        super(services.components().environment().nanoTime() + context.remainingNanos());
        this.services = services;
        this.view = view;
        this.newerCounts = ordering == Ordering.LINEARIZABLE;
        this.policy = policy;
        this.missed = new MissedWrites(services.parked().handoff());
        this.context = context;
        this.result = result;
        this.size = entries.size();
        this.undecided = size;
        this.first = VersionedWrite.of(entries, policy, view);
        this.offeredUntil = deadline() - context.remainingNanos() / 2;
    }

    /**
     * Starts a write.
     *
     * @param services the services that all writes of this node share
     * @param entries the entries, of different keys
     * @param policy the number of replicas
     * @param ordering linearizable if the newest versions were queried first
     * @param context the deadline
     * @param result gets the version of the entries; the greatest one if they have several
     * @throws io.dht4j.OverloadedException if too few replicas have room for it; then the write has no effect
     */
    public static void start(
            WriteServices services,
            List<Entry> entries,
            CallPolicy policy,
            Ordering ordering,
            CallContext context,
            WriteResult result) {
        ClusterView view = services.components().view();
        // Before any request is sent, so that a refused write has certainly no effect.
        for (int i = 0; i < entries.size(); i++) {
            Key key = entries.get(i).key();
            ReplicationPolicy needed = policy.in(view, key);
            services.client()
                    .limits()
                    .require(view.replicas(key, needed.from()), view.movingSlot(key, needed.from()), needed);
        }
        WriteOperation operation = new WriteOperation(services, view, entries, policy, ordering, context, result);
        services.deadlines().add(operation);
        try {
            operation.sendAll(operation.first, entries, view);
        } catch (RuntimeException | Error e) {
            operation.broken(e);
        }
    }

    private void sendAll(List<VersionedWrite> writes, List<Entry> entries, ClusterView by) {
        if (writes.size() == 1 && !writes.get(0).tracker.hasPair()) {
            Key key = entries.get(0).key();
            send(by.replicas(key, writes.get(0).from()), writes, entries, by.token(key));
        } else {
            // Each node has a request of its own: it gets a part of a batch, and the two nodes of a slot are counted
            // separately.
            services.client().order().localLast(group(writes, by), (node, group) -> sendGroup(node, group, by));
        }
    }

    private Map<Node, List<VersionedWrite>> group(List<VersionedWrite> writes, ClusterView by) {
        Map<Node, List<VersionedWrite>> groups = new LinkedHashMap<>();
        for (VersionedWrite write : writes) {
            for (Node node : by.replicas(write.entry.key(), write.from())) {
                groups.computeIfAbsent(node, n -> new ArrayList<>()).add(write);
            }
        }
        return groups;
    }

    private void sendGroup(Node node, List<VersionedWrite> group, ClusterView by) {
        RequestGroups.split(group, write -> FrameCodec.encodedSize(write.entry), services.maxValueBytes(), part -> {
            List<Entry> entries = entries(part);
            send(List.of(node), part, entries, by.token(entries));
        });
    }

    private static List<Entry> entries(List<VersionedWrite> writes) {
        return writes.stream().map(VersionedWrite::entry).toList();
    }

    private void send(List<Node> nodes, List<VersionedWrite> part, List<Entry> entries, @Nullable FencingToken token) {
        OutboundRequest outbound = OutboundRequest.of(new Request.ApplyEntries(entries), token);
        services.client().order().localLast(nodes, next(nodes, part, outbound));
    }

    private synchronized Part next(List<Node> nodes, List<VersionedWrite> part, OutboundRequest outbound) {
        Part next = new Part(nodes, part, outbound, 0, sent);
        sent = next;
        return next;
    }

    /** Some entries in a request to some nodes, and the handling of the answers. Immutable. */
    private final class Part implements ReplyHandler, Consumer<Node> {

        private static final AtomicLongFieldUpdater<Part> ENDED =
                AtomicLongFieldUpdater.newUpdater(Part.class, "ended");

        /** One node if answers are counted by node: for a part of a batch, and where two nodes hold a slot. */
        private final List<Node> nodes;

        private final List<VersionedWrite> writes;
        private final OutboundRequest outbound;
        /** The number of times that a replica has refused it. */
        private final int refusals;
        /** The part that was sent before; null if there is none. */
        private final @Nullable Part before;
        /** A bit for each node with an outcome. Errors do not name nodes after the 64th. */
        private volatile long ended;

        Part(
                List<Node> nodes,
                List<VersionedWrite> writes,
                OutboundRequest outbound,
                int refusals,
                @Nullable Part before) {
            this.nodes = nodes;
            this.writes = writes;
            this.outbound = outbound;
            this.refusals = refusals;
            this.before = before;
        }

        /** Sends it to a node. */
        @Override
        public void accept(Node node) {
            services.client().ask(node, outbound, context, this);
        }

        @Override
        public boolean isRepeated() {
            return refusals > 0;
        }

        @Override
        public @Nullable ObservedCall call() {
            return result.call();
        }

        @Override
        public void replied(NodeId by, Reply reply) {
            ended(by);
            // Also if it was superseded: it may have been visible for a moment.
            maybeDone = true;
            List<Reply.Newer> newer = ((Reply.Applied) reply).newer();
            int next = 0;
            for (int i = 0; i < writes.size(); i++) {
                VersionedWrite write = writes.get(i);
                boolean isNewest = next == newer.size() || newer.get(next).index() != i;
                Optional<Version> reported = isNewest
                        ? Optional.empty()
                        : Optional.of(newer.get(next++).version());
                if (answered(by, write, reported)) {
                    decided(write);
                } else if (write.tracker.isSuperseded()) {
                    services.superseded().add(WriteOperation.this, write);
                }
            }
        }

        @Override
        public void failed(PeerFailure failure) {
            ended(failure.node());
            FencingToken token = outbound.token();
            if (token != null && Replanning.isStale(failure, token)) {
                replan(token, failure);
            } else if (!mayBeOfferedAgain(failure) || !isOfferedAgain(failure)) {
                giveUp(failure);
            }
        }

        private void ended(NodeId by) {
            for (int i = 0; i < Math.min(nodes.size(), Long.SIZE); i++) {
                if (nodes.get(i).id().equals(by)) {
                    ENDED.accumulateAndGet(this, 1L << i, (former, bit) -> former | bit);
                }
            }
        }

        /** Adds the nodes without an outcome. */
        private void unanswered(Consumer<NodeId> silent) {
            for (int i = 0; i < Math.min(nodes.size(), Long.SIZE); i++) {
                if ((ended & 1L << i) == 0) {
                    silent.accept(nodes.get(i).id());
                }
            }
        }

        /**
         * Returns whether the node will probably accept it later: a large write once there is room, and any write once
         * the node has begun to take over the slot.
         */
        private boolean mayBeOfferedAgain(PeerFailure failure) {
            return failure.nothingDone()
                    && ((failure.code() == ErrorCode.OVERLOADED && outbound.isLarge())
                            || failure.code() == ErrorCode.REPLICA_REFILLING);
        }

        /** Parks it, to be offered to the node again. Returns false if it is not parked. */
        private boolean isOfferedAgain(PeerFailure failure) {
            long left = offeredUntil - services.components().environment().nanoTime();
            if (left <= 0) {
                return false;
            }
            List<Node> refusing = nodes(failure);
            Part again = new Part(refusing, writes, outbound, refusals + 1, null);
            return services.parked().park(missed, refusals, left, () -> refusing.forEach(again), () -> giveUp(failure));
        }

        /**
         * Sends its entries again with a newer view. Until the view has arrived, the other answers may decide. An entry
         * that is undecided then has an unknown outcome by its old table, and gets a new count. If the deadline has
         * decided before, all replicas of the newer view have missed it.
         */
        private void replan(FencingToken token, PeerFailure failure) {
            replanning().after(token, failure.node(), context.remainingNanos()).whenComplete((newer, error) -> {
                try {
                    List<VersionedWrite> again = new ArrayList<>();
                    for (int i = 0; error == null && i < writes.size(); i++) {
                        VersionedWrite write = writes.get(i);
                        if (write.tracker.abandon()) {
                            VersionedWrite next = new VersionedWrite(write.entry, policy, newer);
                            write.replaceBy(next);
                            again.add(next);
                        }
                    }
                    // Also if the node is no longer a replica: the one in its place may lack the entry too.
                    giveUp(failure);
                    if (!again.isEmpty() && !missed.isDecided()) {
                        sendAll(again, entries(again), newer);
                    } else if (!again.isEmpty()) {
                        group(again, newer).forEach(missed::add);
                    }
                } catch (RuntimeException | Error e) {
                    broken(e);
                }
            });
        }

        /** Counts the failure of a node, which has missed the entries. */
        private void giveUp(PeerFailure failure) {
            failures().add(failure);
            if (!failure.nothingDone()) {
                maybeDone = true;
            }
            for (Node node : nodes(failure)) {
                missed.add(node, writes);
            }
            for (int i = 0; i < writes.size(); i++) {
                VersionedWrite write = writes.get(i);
                if (write.tracker.fail(failure.node())) {
                    decided(write);
                }
            }
        }

        /** Returns the node that has failed. */
        private List<Node> nodes(PeerFailure failure) {
            return nodes.stream()
                    .filter(node -> node.id().equals(failure.node()))
                    .toList();
        }
    }

    /** Returns whether an entry still waits although the replicas that have answered would be enough. */
    boolean isWaiting(VersionedWrite write) {
        return !missed.isDecided() && write.tracker.isSuperseded();
    }

    /**
     * Gives an entry its second version if the outstanding replicas are silent: all of them are suspected, or their
     * answers are later than the time after which reads ask another replica.
     *
     * @param waitedNanos the time since enough others have answered
     */
    void supersedeIfSilent(VersionedWrite write, long waitedNanos) {
        try {
            ReplicaOrder order = services.client().order();
            ClusterView by = services.components().view();
            // A replica that has failed may be one of the suspected ones.
            boolean silent = waitedNanos >= order.patienceNanos()
                    || order.suspectedSlots(by, by.partitionOf(write.entry.key()), write.from())
                            >= write.tracker.withoutAnswer();
            // Exactly one of this and a deciding answer gets the entry.
            if (silent && write.tracker.abandon()) {
                lost(write);
            }
        } catch (RuntimeException | Error e) {
            broken(e);
        }
    }

    /** Counts an answer; returns true for the one that decides. */
    private boolean answered(NodeId by, VersionedWrite write, Optional<Version> newer) {
        if (newer.isPresent() && newer.get().equals(Reply.Newer.UNKNOWN)) {
            return write.tracker.ackUnsure(by);
        }
        if (newer.isPresent() && newer.get().equals(Reply.Newer.TOO_FAR_AHEAD)) {
            failures().tooFarAhead();
            return write.tracker.fail(by);
        }
        boolean counts = newer.isEmpty() || newerCounts;
        return counts ? write.tracker.ack(by) : write.tracker.newer(by, newer.orElseThrow());
    }

    private void decided(VersionedWrite write) {
        if (write.tracker.isEnough()) {
            acknowledged(write);
        } else {
            lost(write);
        }
    }

    private void acknowledged(VersionedWrite write) {
        if (size > 1) {
            NEWEST.accumulateAndGet(this, write.entry.version().packed(), Math::max);
        }
        if (UNDECIDED.decrementAndGet(this) == 0) {
            Version version = size == 1 ? write.entry.version() : new Version(newest);
            if (missed.keep()) {
                services.deadlines().remove(this);
                result.succeed(version);
            }
        }
    }

    /** Handles an entry that too few replicas hold, or will soon hold, as the newest of its key. */
    private void lost(VersionedWrite write) {
        Optional<Version> superseding = write.tracker.newest();
        if (superseding.isEmpty()) {
            fail(write.tracker);
        } else if (!missed.isDecided() && !context.isExpired()) {
            Version above = services.versions().above(superseding.get());
            // Not with a view that is older than the version: the version of a hint determines which nodes may lack a
            // write.
            ClusterView latest = services.components().view();
            VersionedWrite again = new VersionedWrite(write.entry.withVersion(above), policy, latest);
            write.replaceBy(again);
            if (services.versions().isReserved(above)) {
                send(again, latest);
            } else {
                services.versions().reserve(above, context.remainingNanos()).whenComplete((reserved, error) -> {
                    if (error == null) {
                        send(again, latest);
                    } else {
                        // The outcome of the first version is unknown.
                        fail(
                                again.tracker + "; no second version: "
                                        + DhtException.unwrap(error).getMessage(),
                                false,
                                null);
                    }
                });
            }
        }
    }

    private void send(VersionedWrite write, ClusterView by) {
        sendAll(List.of(write), List.of(write.entry), by);
    }

    private void fail(AckTracker tracker) {
        boolean nothingDone = size == 1 && !maybeDone && first.get(0).allHaveFailed();
        WriteFailures known = failures;
        fail(tracker.toString() + reasons(), nothingDone, known == null ? null : known.last());
    }

    private synchronized Replanning replanning() {
        Replanning known = replanning;
        if (known == null) {
            known = new Replanning(services.client().refresh(), view);
            replanning = known;
        }
        return known;
    }

    private synchronized WriteFailures failures() {
        WriteFailures known = failures;
        if (known == null) {
            known = new WriteFailures();
            failures = known;
        }
        return known;
    }

    private String reasons() {
        WriteFailures known = failures;
        return known == null ? "" : known.toString();
    }

    @Override
    void expire() {
        if (missed.isDecided()) {
            return;
        }
        try {
            String counts = first.stream()
                    .map(write -> write.latest().tracker)
                    .filter(tracker -> !tracker.isEnough())
                    .findFirst()
                    .map(AckTracker::toString)
                    .orElse("");
            Stream.Builder<NodeId> unanswered = Stream.builder();
            for (Part each = sent; each != null; each = each.before) {
                each.unanswered(unanswered);
            }
            fail(counts + " before the deadline" + failures().atDeadline(unanswered.build()), false, null);
        } catch (RuntimeException | Error e) {
            broken(e);
        }
    }

    /** Ends a write that an error has met, mostly a lack of memory: some replicas may have it, and all may get it. */
    private void broken(Throwable error) {
        if (missed.keep()) {
            services.deadlines().remove(this);
            result.fail(error);
        }
    }

    private void fail(String message, boolean nothingDone, @Nullable PeerFailure last) {
        DhtException failure = WriteFailures.error(message, nothingDone, last);
        if (nothingDone ? missed.forget() : missed.keep()) {
            services.deadlines().remove(this);
            result.fail(failure);
        }
    }
}
