package io.dht4j.core.internal.coordinator.scan;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.ReplicationPolicy;
import io.dht4j.ScanScope;
import io.dht4j.UnavailableException;
import io.dht4j.Version;
import io.dht4j.core.internal.admission.ByteBudget;
import io.dht4j.core.internal.admission.HeldBytes;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.peer.Outgoing;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A scan under way: merges the replicas' pages in key order. For each partition {@code ack} of its first {@code from}
 * replicas are read, this node first; each node is asked only for the partitions that it was chosen for. When a node
 * fails, the partitions are shared out again among the others, and the scan goes on behind the last key that it has
 * shown. Holds one page per node.
 *
 * <p>A scan of a snapshot reads all replicas that have it, and needs {@code ack} of each partition.
 *
 * <p>For one page at a time, as {@link io.dht4j.Scan} says; the parts of a page come on any thread, each handed on
 * safely.
 */
public final class ClusterScan {

    private static final int PAGE_ENTRIES = 1000;
    private static final int PAGE_BYTES = 256 * 1024;

    private final NodeComponents parts;
    private final ReplicaClient peers;
    /**
     * For the values of pages until they are handed on; what is kept between two pages is in the hands of the caller.
     */
    private final ByteBudget budget;

    private final ReplicationPolicy policy;
    private final ScanScope scope;
    private final Optional<Key> end;
    private final Optional<Version> snapshot;
    private final Set<NodeId> failed = new HashSet<>();
    /** Why nodes did not bring a page of a snapshot, the last time that they were asked. */
    private final Map<NodeId, PeerFailure> reasons = new TreeMap<>(Comparator.comparing(NodeId::value));

    private Optional<Key> position;
    private @Nullable List<ScanCursor> cursors;
    /** Set by the caller only: an empty page is the end, and must never stand for one that could not be brought. */
    private volatile boolean closed;

    public ClusterScan(
            NodeComponents parts,
            ReplicaClient peers,
            ByteBudget budget,
            KeyRange range,
            ScanScope scope,
            ReplicationPolicy policy,
            Optional<Version> snapshot) {
        this.parts = parts;
        this.peers = peers;
        this.budget = budget;
        this.policy = policy;
        this.scope = scope;
        this.position = Optional.of(range.start());
        this.end = range.end();
        this.snapshot = snapshot;
    }

    public void close() {
        closed = true;
    }

    /** How many bytes of values are kept for further pages. To be called between two pages. */
    public long heldBytes() {
        long bytes = 0;
        for (ScanCursor cursor : cursors == null ? List.<ScanCursor>of() : cursors) {
            bytes += cursor.heldBytes();
        }
        return bytes;
    }

    /**
     * Brings the next page. The time runs again with each round of replicas' pages that has come and brought entries: a
     * range of deleted entries may take many rounds before there is one to show. Rounds that brought none do not count,
     * or a replica that says again and again that there may be more further on would keep a scan alive for ever. When a
     * page has failed there must be no other: replies to it may still come.
     */
    public CompletableFuture<List<KeyValue>> next(Supplier<CallContext> contexts) {
        // Who failed a page ago may be back.
        failed.clear();
        Pull pull = new Pull(contexts);
        pull.renew();
        advance(pull);
        return pull.page.whenComplete((entries, error) -> {
            pull.deadline.cancel();
            pull.held.end();
        });
    }

    /** A page that was asked for, and the time it has. Passed from thread to thread, one at a time. */
    private final class Pull {

        private final CompletableFuture<List<KeyValue>> page = new CompletableFuture<>();
        private final Supplier<CallContext> contexts;
        private final HeldBytes held = new HeldBytes(budget, true);
        private volatile CallContext context;
        private volatile Environment.Timer deadline = () -> {};

        Pull(Supplier<CallContext> contexts) {
            this.contexts = contexts;
            this.context = contexts.get();
        }

        void renew() {
            deadline.cancel();
            context = contexts.get();
            deadline = parts.environment().schedule(this::expire, context.remainingNanos());
            if (page.isDone()) {
                deadline.cancel();
            }
        }

        private void expire() {
            fail(page, "scan: no page before the deadline");
        }
    }

    private void advance(Pull pull) {
        CompletableFuture<List<KeyValue>> page = pull.page;
        try {
            while (!page.isDone()) {
                if (closed || position.isEmpty()) {
                    page.complete(List.of());
                    return;
                }
                if (pull.context.isExpired()) {
                    pull.expire();
                    return;
                }
                List<ScanCursor> now = cursors == null ? plan(position.get()) : cursors;
                cursors = now;
                List<ScanCursor> hungry =
                        now.stream().filter(ScanCursor::needsPage).toList();
                if (!hungry.isEmpty()) {
                    fetch(hungry, pull);
                    return;
                }
                List<KeyValue> merged = merge(now);
                if (now.stream().noneMatch(c -> c.hasEntry() || c.needsPage())) {
                    position = Optional.empty();
                }
                if (!merged.isEmpty()) {
                    page.complete(merged);
                } else {
                    // What was deleted or has expired is not shown, and no longer held.
                    pull.held.shrinkTo(heldBytes());
                }
            }
        } catch (RuntimeException | Error e) {
            page.completeExceptionally(e instanceof DhtException ? e : internal(e));
        }
    }

    private static DhtException internal(Throwable cause) {
        DhtException wrapped = DhtException.of(ErrorCode.INTERNAL, "scan: " + cause);
        wrapped.addSuppressed(cause);
        return wrapped;
    }

    private void fail(CompletableFuture<List<KeyValue>> page, String message) {
        page.completeExceptionally(new UnavailableException(ErrorCode.NOT_ENOUGH_REPLICAS, message));
    }

    /** Chooses for each partition the replicas to read it from. */
    private List<ScanCursor> plan(Key start) {
        KeyRange rest = new KeyRange(start, end);
        if (scope == ScanScope.NODE) {
            Node self = parts.topology().node(parts.self()).orElseThrow();
            return List.of(new ScanCursor(self, new BitSet(), rest));
        }
        Map<Node, BitSet> chosen = new HashMap<>();
        int partitions = parts.table().partitions();
        for (int partition = 0; partition < partitions; partition++) {
            List<Node> replicas =
                    new ArrayList<>(peers.byPreference(parts.table().replicas(partition, policy.from())));
            replicas.removeIf(node -> failed.contains(node.id()));
            if (snapshot.isPresent()) {
                leaveOutSuspects(replicas);
                requireSnapshot(snapshot.get(), partition, replicas.size());
            }
            if (replicas.size() < policy.ack()) {
                throw new UnavailableException(
                        ErrorCode.NOT_ENOUGH_REPLICAS,
                        "scan: " + replicas.size() + " of " + policy.ack() + " needed replicas answer for partition "
                                + partition + "; failed: " + failed);
            }
            for (Node node : snapshot.isPresent() ? replicas : replicas.subList(0, policy.ack())) {
                chosen.computeIfAbsent(node, n -> new BitSet(partitions)).set(partition);
            }
        }
        List<ScanCursor> plan = new ArrayList<>(chosen.size());
        chosen.forEach((node, set) -> plan.add(new ScanCursor(node, set, rest)));
        return plan;
    }

    /** Who says nothing costs a page's whole time; it is asked only if it is needed. */
    private void leaveOutSuspects(List<Node> replicas) {
        for (int i = replicas.size() - 1; i >= 0 && replicas.size() > policy.ack(); i--) {
            if (peers.isSuspected(replicas.get(i))) {
                replicas.remove(i);
            }
        }
    }

    private void requireSnapshot(Version version, int partition, int have) {
        if (have < policy.ack()) {
            boolean gone = reasons.values().stream().anyMatch(why -> why.code() == ErrorCode.SNAPSHOT_GONE);
            String why = reasons.values().stream().map(PeerFailure::toString).collect(Collectors.joining("; "));
            throw DhtException.of(
                    gone ? ErrorCode.SNAPSHOT_GONE : ErrorCode.NOT_ENOUGH_REPLICAS,
                    "snapshot " + version + ": " + have + " of " + policy.ack()
                            + " needed replicas bring it for partition " + partition + "; " + why);
        }
    }

    /** Keeps the snapshot's lease where a page lasts long. */
    private void keepSnapshot(Version version, List<ScanCursor> asked, CallContext context) {
        for (ScanCursor cursor : cursors == null ? List.<ScanCursor>of() : cursors) {
            if (!asked.contains(cursor)) {
                peers.ask(cursor.node, Outgoing.alone(new Request.KeepCut(version)), context, ReplyHandler.ignoring());
            }
        }
    }

    /** Asks for the missing pages at the same time and goes on when all have come or failed. */
    private void fetch(List<ScanCursor> hungry, Pull pull) {
        snapshot.ifPresent(version -> keepSnapshot(version, hungry, pull.context));
        AtomicInteger awaited = new AtomicInteger(hungry.size());
        // Each is written by one answer and read by the last one, which the counter orders after the others.
        Object[] outcomes = new Object[hungry.size()];
        for (int i = 0; i < hungry.size(); i++) {
            int index = i;
            ScanCursor cursor = hungry.get(i);
            Request.ScanPage plain =
                    new Request.ScanPage(cursor.missing().orElseThrow(), cursor.partitions, PAGE_ENTRIES, PAGE_BYTES);
            Request request = snapshot.isPresent() ? new Request.CutPage(snapshot.get(), plain) : plain;
            peers.ask(cursor.node, Outgoing.alone(request), pull.context, new ReplyHandler() {
                @Override
                public void replied(Reply reply) {
                    came(reply);
                }

                @Override
                public void failed(PeerFailure failure) {
                    came(failure);
                }

                private void came(Object outcome) {
                    outcomes[index] = outcome;
                    if (awaited.decrementAndGet() == 0) {
                        if (take(hungry, outcomes, pull)) {
                            pull.renew();
                        }
                        advance(pull);
                    }
                }
            });
        }
    }

    /** Takes what has come; false if a part of it has not, or if it brought the scan no further. */
    private boolean take(List<ScanCursor> hungry, Object[] outcomes, Pull pull) {
        boolean complete = true;
        boolean progress = false;
        for (int i = 0; i < outcomes.length; i++) {
            if (outcomes[i] instanceof Reply.Page got) {
                if (!pull.held.take(got.valueBytes())) {
                    pull.page.completeExceptionally(pull.held.refused());
                    cursors = null;
                    return false;
                }
                hungry.get(i).fill(got);
                progress |= !got.entries().isEmpty() || got.resume().isEmpty();
            } else {
                failed.add(hungry.get(i).node.id());
                if (outcomes[i] instanceof PeerFailure failure) {
                    reasons.put(failure.node(), failure);
                }
                complete = false;
                if (scope == ScanScope.NODE) {
                    fail(pull.page, "scan: " + outcomes[i]);
                }
            }
        }
        if (!complete) {
            cursors = null;
        }
        return complete && progress;
    }

    /** Merges what is at hand until a cursor has used up its page. */
    private List<KeyValue> merge(List<ScanCursor> all) {
        PriorityQueue<ScanCursor> heads = new PriorityQueue<>(Comparator.comparing(ScanCursor::headKey));
        for (ScanCursor cursor : all) {
            if (cursor.hasEntry()) {
                heads.add(cursor);
            }
        }
        List<KeyValue> merged = new ArrayList<>();
        long now = parts.environment().currentTimeMillis();
        boolean starved = false;
        while (!starved && !heads.isEmpty() && merged.size() < PAGE_ENTRIES) {
            Key key = heads.element().headKey();
            Entry newest = null;
            while (!heads.isEmpty() && heads.element().headKey().equals(key)) {
                ScanCursor cursor = heads.remove();
                Entry entry = cursor.take();
                newest = newest == null ? entry : Entry.newest(newest, entry);
                if (cursor.hasEntry()) {
                    heads.add(cursor);
                } else if (cursor.needsPage()) {
                    starved = true;
                }
            }
            if (newest != null && newest.isLive(now)) {
                merged.add(new KeyValue(key, Values.of(newest)));
            }
            position = key.successor();
        }
        return merged;
    }
}
