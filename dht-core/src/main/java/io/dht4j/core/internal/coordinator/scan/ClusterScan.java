package io.dht4j.core.internal.coordinator.scan;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.ScanScope;
import io.dht4j.UnavailableException;
import io.dht4j.Version;
import io.dht4j.core.internal.admission.ByteBudget;
import io.dht4j.core.internal.admission.HeldBytes;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.peer.OutboundRequest;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.Replanning;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.coordinator.quorum.CallPolicy;
import io.dht4j.core.internal.coordinator.quorum.Failures;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.FencingToken;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A running scan: merges the pages of replicas in key order. {@link ScanReplicas} chooses the replicas; each node is
 * asked only for the partitions that it was chosen for. When a node fails, the partitions are distributed again among
 * the others, and the scan continues after the last key that it has returned. Holds one page per node. When a node
 * refuses a page because of a newer table, the scan continues with that table in the same way, up to
 * {@value Replanning#MAX_PLANS} times before it advances.
 *
 * <p>For one page at a time, see {@link io.dht4j.Scan}; the replies for a page arrive on any thread, one after the
 * other.
 */
public final class ClusterScan {

    private static final int PAGE_ENTRIES = 1000;
    private static final int PAGE_BYTES = 256 * 1024;

    private final NodeComponents components;
    private final ReplicaClient client;
    /** Replaced between two pages. */
    private ClusterView view;
    /** The budget of the values of a page until it is returned; the caller limits those kept between two pages. */
    private final ByteBudget budget;

    private final ScanScope scope;
    private final Optional<Key> end;
    private final Optional<Version> snapshot;
    private final ScanReplicas replicas;

    private Optional<Key> position;
    private @Nullable List<ScanCursor> cursors;
    /** Set by the caller only: an empty page is the end, never a failed page. */
    private volatile boolean closed;

    /**
     * Creates a scan that has not begun.
     *
     * @param components the components of this node
     * @param client asks replicas
     * @param budget the budget of the values of pages
     * @param range the keys
     * @param scope one node or the cluster
     * @param policy the number of replicas
     * @param snapshot the snapshot to read; empty for the newest entries
     */
    public ClusterScan(
            NodeComponents components,
            ReplicaClient client,
            ByteBudget budget,
            KeyRange range,
            ScanScope scope,
            CallPolicy policy,
            Optional<Version> snapshot) {
        this.components = components;
        this.client = client;
        this.view = components.view();
        this.budget = budget;
        this.scope = scope;
        this.position = Optional.of(range.start());
        this.end = range.end();
        this.snapshot = snapshot;
        this.replicas = new ScanReplicas(client.order(), policy, scope, snapshot);
    }

    /** Ends the scan: further pages are empty. */
    public void close() {
        closed = true;
    }

    /**
     * Returns the number of bytes of values kept for further pages. For calls between two pages.
     *
     * @return the number of bytes
     */
    public long heldBytes() {
        long bytes = 0;
        for (ScanCursor cursor : cursors == null ? List.<ScanCursor>of() : cursors) {
            bytes += cursor.heldBytes();
        }
        return bytes;
    }

    /**
     * Fetches the next page. The timeout starts again with each set of replicas' pages that has brought entries: a
     * range of deleted entries may take many before there is one to return. Empty pages do not count, or a replica that
     * always announces more could keep a scan running forever. After a failed page there is no other: replies to it may
     * still arrive.
     *
     * @param first the timeout of the first replicas' pages
     * @param contexts returns a new timeout for further ones
     * @param observed the observation of the page, which learns of its requests; null without an observer
     * @return the entries; none at the end of the scan
     */
    public CompletableFuture<List<KeyValue>> next(
            CallContext first, Supplier<CallContext> contexts, @Nullable ObservedCall observed) {
        replicas.beginPage();
        PageRequest request = new PageRequest(first, contexts, observed);
        request.begin();
        advance(request);
        return request.page.whenComplete((entries, error) -> {
            request.deadline.cancel();
            request.held.end();
        });
    }

    private record Refusal(FencingToken token, NodeId by) {}

    /** A requested page and its timeout. Passed from thread to thread, one at a time. */
    private final class PageRequest {

        private final CompletableFuture<List<KeyValue>> page = new CompletableFuture<>();
        private final Supplier<CallContext> contexts;
        private final @Nullable ObservedCall observed;
        private final HeldBytes held = new HeldBytes(budget, true);
        private final Failures failures = new Failures();
        /** The nodes of requests without an outcome. */
        private final Set<NodeId> unanswered = ConcurrentHashMap.newKeySet();
        /** The page that was refused because of a newer table, and the refusing node; null while there is none. */
        private @Nullable Refusal refusal;
        /** Begins again with the timeout: the table may change any number of times while a long page is read. */
        private Replanning replanning = new Replanning(client.refresh(), view);

        private volatile CallContext context;
        private volatile Environment.Timer deadline = () -> {};

        PageRequest(CallContext first, Supplier<CallContext> contexts, @Nullable ObservedCall observed) {
            this.contexts = contexts;
            this.observed = observed;
            this.context = first;
        }

        void renew() {
            deadline.cancel();
            replanning = new Replanning(client.refresh(), view);
            context = contexts.get();
            begin();
        }

        void begin() {
            deadline = components.environment().schedule(this::expire, context.remainingNanos());
            if (page.isDone()) {
                deadline.cancel();
            }
        }

        private void expire() {
            fail(page, "no page before the deadline" + failures.atDeadline(unanswered.stream()));
        }
    }

    private void advance(PageRequest request) {
        CompletableFuture<List<KeyValue>> page = request.page;
        try {
            while (!page.isDone()) {
                if (closed || position.isEmpty()) {
                    page.complete(List.of());
                    return;
                }
                if (request.context.isExpired()) {
                    request.expire();
                    return;
                }
                List<ScanCursor> now = cursors;
                if (now == null) {
                    // The pages that were held until now are read again.
                    request.held.shrinkTo(0);
                    now = replicas.choose(view, new KeyRange(position.get(), end));
                    cursors = now;
                }
                List<ScanCursor> hungry =
                        now.stream().filter(ScanCursor::needsPage).toList();
                if (!hungry.isEmpty()) {
                    fetch(hungry, request);
                    return;
                }
                List<KeyValue> merged = merge(now);
                if (now.stream().noneMatch(c -> c.hasEntry() || c.needsPage())) {
                    position = Optional.empty();
                }
                if (!merged.isEmpty()) {
                    page.complete(merged);
                } else {
                    // Deleted and expired entries are not returned, and no longer held.
                    request.held.shrinkTo(heldBytes());
                }
            }
        } catch (RuntimeException | Error e) {
            page.completeExceptionally(e instanceof DhtException ? e : internal(e));
        }
    }

    private static DhtException internal(Throwable cause) {
        DhtException wrapped = DhtException.of(ErrorCode.INTERNAL, "internal error: " + cause);
        wrapped.addSuppressed(cause);
        return wrapped;
    }

    private void fail(CompletableFuture<List<KeyValue>> page, String message) {
        page.completeExceptionally(new UnavailableException(ErrorCode.NOT_ENOUGH_REPLICAS, message));
    }

    /** Renews the lease of the snapshot on nodes that are not asked for a page: each may be needed later. */
    private void keepSnapshot(Version version, List<ScanCursor> asked, CallContext context) {
        for (Node node : view.topology().nodes()) {
            if (!replicas.isExcluded(node)
                    && !client.order().isSuspected(node)
                    && asked.stream().noneMatch(cursor -> cursor.node.equals(node))) {
                client.ask(
                        node,
                        OutboundRequest.alone(new Request.RenewSnapshot(version)),
                        context,
                        ReplyHandler.ignoring());
            }
        }
    }

    /** Requests the missing pages at the same time, and continues when all have arrived or failed. */
    private void fetch(List<ScanCursor> hungry, PageRequest request) {
        snapshot.ifPresent(version -> keepSnapshot(version, hungry, request.context));
        AtomicInteger awaited = new AtomicInteger(hungry.size());
        // Each is written by one answer and read by the last one, which the counter orders after the others.
        Object[] outcomes = new Object[hungry.size()];
        for (int i = 0; i < hungry.size(); i++) {
            int index = i;
            ScanCursor cursor = hungry.get(i);
            Request.ScanPage plain =
                    new Request.ScanPage(cursor.missing().orElseThrow(), cursor.partitions, PAGE_ENTRIES, PAGE_BYTES);
            Request page = snapshot.isPresent() ? new Request.SnapshotPage(snapshot.get(), plain) : plain;
            NodeId asked = cursor.node.id();
            request.unanswered.add(asked);
            Consumer<Object> received = outcome -> {
                request.unanswered.remove(asked);
                if (outcome instanceof PeerFailure failure) {
                    request.failures.add(failure);
                }
                outcomes[index] = outcome;
                if (awaited.decrementAndGet() == 0) {
                    if (take(hungry, outcomes, request)) {
                        request.renew();
                    }
                    advanceByNewest(request);
                }
            };
            client.ask(
                    cursor.node,
                    OutboundRequest.alone(page, view.token(cursor.partitions)),
                    request.context,
                    ReplyHandler.of(request.observed, received, received));
        }
    }

    /** Continues, with a newer view if a page was refused because of it. */
    private void advanceByNewest(PageRequest request) {
        Refusal refusal = request.refusal;
        if (refusal == null || request.page.isDone()) {
            advance(request);
            return;
        }
        request.refusal = null;
        long remaining = request.context.remainingNanos();
        // Half of it is for another replica, if there may be one.
        long patience = scope == ScanScope.NODE ? remaining : remaining / 2;
        request.replanning.after(refusal.token(), refusal.by(), patience).handle((newer, error) -> {
            if (error == null) {
                view = newer;
            } else if (scope == ScanScope.NODE || request.replanning.isExhausted()) {
                fail(request.page, DhtException.unwrap(error).getMessage() + "; scan again later");
            } else {
                replicas.exclude(refusal.by());
            }
            advance(request);
            return error == null;
        });
    }

    /** Takes the pages. Returns false if some failed, or if they do not advance the scan. */
    private boolean take(List<ScanCursor> hungry, Object[] outcomes, PageRequest request) {
        boolean complete = true;
        boolean progress = false;
        for (int i = 0; i < outcomes.length; i++) {
            if (outcomes[i] instanceof Reply.Page got) {
                if (!request.held.take(got.valueBytes())) {
                    request.page.completeExceptionally(request.held.refused());
                    cursors = null;
                    return false;
                }
                hungry.get(i).fill(got);
                progress |= !got.entries().isEmpty() || got.resume().isEmpty();
            } else {
                complete = false;
                FencingToken token = view.token(hungry.get(i).partitions);
                if (token != null && outcomes[i] instanceof PeerFailure failure && Replanning.isStale(failure, token)) {
                    request.refusal = new Refusal(token, failure.node());
                    continue;
                }
                if (outcomes[i] instanceof PeerFailure failure) {
                    replicas.exclude(failure);
                } else if (outcomes[i] instanceof Reply.SnapshotLacks lacks) {
                    replicas.exclude(hungry.get(i).node.id(), lacks.partitions());
                } else {
                    replicas.exclude(hungry.get(i).node.id());
                }
                if (scope == ScanScope.NODE) {
                    fail(request.page, String.valueOf(outcomes[i]));
                }
            }
        }
        if (!complete) {
            cursors = null;
        }
        return complete && progress;
    }

    /** Merges the pages until a cursor has used up its page. */
    private List<KeyValue> merge(List<ScanCursor> all) {
        PriorityQueue<ScanCursor> heads = new PriorityQueue<>(Comparator.comparing(ScanCursor::headKey));
        for (ScanCursor cursor : all) {
            if (cursor.hasEntry()) {
                heads.add(cursor);
            }
        }
        List<KeyValue> merged = new ArrayList<>();
        long now = components.environment().currentTimeMillis();
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
