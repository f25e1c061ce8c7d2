package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.Node;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.repair.RepairException;
import io.dht4j.core.internal.repair.RepairPeers;
import io.dht4j.core.internal.replica.Replica;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Talks to replicas for the background repair, each request in a frame of its own. */
public final class PeerRepair implements RepairPeers {

    /** A replica may have to bring much into its sums before it can tell them. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final NodeComponents parts;
    private final ReplicaClient peers;
    private final Replica replica;

    public PeerRepair(NodeComponents parts, ReplicaClient peers, Replica replica) {
        this.parts = parts;
        this.peers = peers;
        this.replica = replica;
    }

    @Override
    public CompletableFuture<Reply> ask(Node node, Request request) {
        return ask(node, request, TIMEOUT);
    }

    @Override
    public CompletableFuture<Reply> ask(Node node, Request request, Duration timeout) {
        CompletableFuture<Reply> answer = new CompletableFuture<>();
        CallContext context = new CallContext(parts.environment()::nanoTime, timeout.toNanos());
        peers.ask(node, Outgoing.alone(request), context, new ReplyHandler() {
            @Override
            public void replied(Reply reply) {
                answer.complete(reply);
            }

            @Override
            public void failed(PeerFailure failure) {
                answer.completeExceptionally(
                        new RepairException(failure.code(), failure.refused(), failure.toString()));
            }
        });
        return answer;
    }

    @Override
    public CompletableFuture<Reply> keep(List<Entry> entries) {
        CompletableFuture<Reply> answer = new CompletableFuture<>();
        replica.refill(new Request.ApplyEntries(entries), reply -> {
            if (reply instanceof Reply.Failed failed) {
                answer.completeExceptionally(
                        new RepairException(failed.code(), "node " + parts.self() + ": " + failed.message()));
            } else {
                answer.complete(reply);
            }
        });
        return answer;
    }

    @Override
    public boolean isSuspected(Node node) {
        return peers.isSuspected(node);
    }
}
