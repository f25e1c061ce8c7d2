package io.dht4j.core.internal.coordinator.node;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.coordinator.peer.OutboundRequest;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.Replanning;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.copy.PageSource;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.repair.RepairException;
import io.dht4j.core.internal.replica.Replica;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.FencingToken;
import io.dht4j.core.internal.view.Views;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.Entry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the requests of refill and repair, each in a frame of its own. Does not block; safe for use by any number of
 * threads.
 */
final class BackgroundRequests {

    private static final Logger LOG = LoggerFactory.getLogger(BackgroundRequests.class);

    private static final int PAGE_ENTRIES = 1000;
    private static final int PAGE_BYTES = 256 * 1024;

    private final NodeId self;
    private final Views views;
    private final ReplicaClient client;
    private final Replica replica;
    private final Duration timeout;

    BackgroundRequests(NodeId self, Views views, ReplicaClient client, Replica replica, Duration timeout) {
        this.self = self;
        this.views = views;
        this.client = client;
        this.replica = replica;
        this.timeout = timeout;
    }

    /** Reads a page of another node for a refill, and merges it into this node's store. See {@link PageSource}. */
    void fetchPage(Node node, PartitionSet partitions, Key start, PageSource.Outcome outcome) {
        Request.ScanPage page =
                new Request.ScanPage(new KeyRange(start, Optional.empty()), partitions, PAGE_ENTRIES, PAGE_BYTES);
        FencingToken token = views.current().token(partitions);
        Consumer<PeerFailure> failed = failure -> {
            learn(failure, token);
            outcome.failed(failure.toString());
        };
        fetch(node, new Request.RefillPage(page), token, outcome, failure -> {
            if (isUnknownThere(failure)) {
                fetch(node, page, token, outcome, failed);
            } else {
                failed.accept(failure);
            }
        });
    }

    private void fetch(
            Node node,
            Request page,
            @Nullable FencingToken token,
            PageSource.Outcome outcome,
            Consumer<PeerFailure> failed) {
        ask(
                node,
                page,
                token,
                timeout,
                ReplyHandler.of(reply -> merge(node, (Reply.Page) reply, token, outcome), failed));
    }

    /** Returns whether the node has refused the request's type: it runs an earlier version, without that type. */
    private static boolean isUnknownThere(PeerFailure failure) {
        return failure.nothingDone() && failure.code() == ErrorCode.MALFORMED_FRAME;
    }

    private void merge(Node node, Reply.Page page, @Nullable FencingToken token, PageSource.Outcome outcome) {
        int count = page.entries().size();
        if (count == 0) {
            outcome.fetched(0, 0, page.resume());
            return;
        }
        long size = page.entries().stream().mapToLong(Entry::bytes).sum();
        // By the table by which they were fetched: this node may have ceased to be a replica meanwhile.
        long rowVersion = token == null ? ClusterView.NO_VERSION : highest(token, page.entries());
        replica.refill(new Request.ApplyEntries(page.entries()), rowVersion, reply -> {
            if (reply instanceof Reply.Failed failed) {
                outcome.failed(self + " cannot store what " + node.id() + " has sent: " + failed.message());
            } else {
                outcome.fetched(count, size, page.resume());
            }
        });
    }

    /** Sends a request of repair. See {@link io.dht4j.core.internal.repair.RepairPeers.Client}. */
    CompletableFuture<Reply> ask(ClusterView view, Node node, Request request, Duration patience) {
        CompletableFuture<Reply> answer = new CompletableFuture<>();
        FencingToken token = token(view, request);
        ask(
                node,
                request,
                token,
                patience,
                ReplyHandler.of(
                        answer::complete,
                        failure -> learn(failure, token)
                                .thenRun(() -> answer.completeExceptionally(
                                        new RepairException(failure.code(), failure.refused(), failure.toString())))));
        return answer;
    }

    private static long highest(FencingToken token, List<Entry> entries) {
        FencingToken narrower = token.view().token(entries);
        return narrower == null ? ClusterView.NO_VERSION : narrower.rowVersion();
    }

    /** Returns the token of a request of repair, which also writes entries; null in a static cluster. */
    private static @Nullable FencingToken token(ClusterView view, Request request) {
        if (!view.hasRowVersions()) {
            return null;
        }
        if (request instanceof Request.ApplyEntries apply) {
            return view.token(apply.entries());
        }
        if (request instanceof RepairRequest.Entries entries) {
            FencingToken token = null;
            for (Request.Query query : entries.queries()) {
                token = FencingToken.highest(token, view.token(query.key()));
            }
            return token;
        }
        return request instanceof RepairRequest repair ? view.token(repair.partitionsNamed()) : null;
    }

    /** Merges entries into this node's store. See {@link io.dht4j.core.internal.repair.RepairPeers#apply}. */
    CompletableFuture<Reply> merge(ClusterView view, List<Entry> entries) {
        CompletableFuture<Reply> answer = new CompletableFuture<>();
        FencingToken token = view.token(entries);
        long rowVersion = token == null ? ClusterView.NO_VERSION : token.rowVersion();
        replica.refill(new Request.ApplyEntries(entries), rowVersion, reply -> {
            if (reply instanceof Reply.Failed failed) {
                answer.completeExceptionally(
                        new RepairException(failed.code(), "node " + self + ": " + failed.message()));
            } else {
                answer.complete(reply);
            }
        });
        return answer;
    }

    /** Sends a request in a frame of its own. */
    void ask(Node node, Request request, @Nullable FencingToken token, ReplyHandler handler) {
        ask(node, request, token, timeout, handler);
    }

    private void ask(
            Node node, Request request, @Nullable FencingToken token, Duration patience, ReplyHandler handler) {
        client.ask(node, OutboundRequest.alone(request, token), client.context(patience), handler);
    }

    /**
     * Fetches a newer view if a request was refused for the lack of it: its next attempt is by that one.
     *
     * @return completes when the view is installed, or there is none
     */
    CompletableFuture<Void> learn(PeerFailure failure, @Nullable FencingToken token) {
        if (token == null || !Replanning.isStale(failure, token)) {
            return CompletableFuture.completedFuture(null);
        }
        return client.refresh().newerThan(token.view().epoch(), failure.node()).handle((newer, error) -> {
            LOG.debug("{}; view then: {}", failure, newer, error);
            return null;
        });
    }
}
