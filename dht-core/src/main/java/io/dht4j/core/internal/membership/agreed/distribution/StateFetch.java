package io.dht4j.core.internal.membership.agreed.distribution;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.core.internal.membership.agreed.peer.MembershipRequestSender;
import io.dht4j.core.internal.membership.codec.MalformedStateException;
import io.dht4j.core.internal.membership.codec.StateCodec;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.wire.MembershipReply.StatePart;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.spi.Environment;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * Fetches the newest state of one node, part by part. If the state changes in between, it begins again, a few times.
 * Buffers only the bytes that have arrived, at most the size of a state. Used once.
 */
public final class StateFetch {

    private static final int MOST_BEGINS = 3;

    private final MembershipRequestSender requests;
    private final Environment environment;
    private final Node node;
    private final Optional<UUID> cluster;
    private final long have;
    private final Duration timeout;
    private final CompletableFuture<Optional<ClusterState>> result = new CompletableFuture<>();
    private final ByteArrayOutputStream parts = new ByteArrayOutputStream();
    private int begins;

    private StateFetch(
            MembershipRequestSender requests,
            Environment environment,
            Node node,
            Optional<UUID> cluster,
            long have,
            Duration timeout) {
        this.requests = requests;
        this.environment = environment;
        this.node = node;
        this.cluster = cluster;
        this.have = have;
        this.timeout = timeout;
    }

    /**
     * Fetches a state.
     *
     * @param requests sends requests
     * @param environment store threads, on which the state is decoded
     * @param node the node that is asked
     * @param cluster the cluster whose state is wanted; empty for any
     * @param have the epoch of the newest state here; 0 for none
     * @param timeout the time limit of each part
     * @return the state of the node; empty if it has none that is newer. Fails if the node does not answer or belongs
     *     to another cluster
     */
    public static CompletableFuture<Optional<ClusterState>> from(
            MembershipRequestSender requests,
            Environment environment,
            Node node,
            Optional<UUID> cluster,
            long have,
            Duration timeout) {
        StateFetch fetch = new StateFetch(requests, environment, node, cluster, have, timeout);
        fetch.begin();
        return fetch.result;
    }

    private void begin() {
        if (++begins > MOST_BEGINS) {
            fail(ErrorCode.STALE_TOPOLOGY, "the state of " + node.id() + " has changed too often while it was fetched");
            return;
        }
        parts.reset();
        ask(0);
    }

    private void ask(long want) {
        requests.ask(node, new MembershipRequest.State(cluster, have, want, parts.size()), StatePart.class, timeout)
                .whenComplete((part, error) -> {
                    try {
                        if (error == null) {
                            received(want, part);
                        } else {
                            result.completeExceptionally(DhtException.unwrap(error));
                        }
                    } catch (RuntimeException | Error e) {
                        result.completeExceptionally(e);
                    }
                });
    }

    private void received(long want, StatePart part) {
        if (want != 0 && part.epoch() != want) {
            begin();
        } else if (part.total() == 0) {
            result.complete(Optional.empty());
        } else {
            parts.writeBytes(part.bytes());
            if (parts.size() < part.total()) {
                ask(part.epoch());
            } else {
                decode();
            }
        }
    }

    private void decode() {
        try {
            environment.storeExecutor().execute(() -> {
                try {
                    ClusterState state = StateCodec.decode(parts.toByteArray());
                    result.complete(Optional.of(state));
                } catch (MalformedStateException e) {
                    fail(
                            ErrorCode.MALFORMED_FRAME,
                            "the state of " + node.id() + " cannot be read: " + MembershipRequestSender.message(e));
                } catch (RuntimeException | Error e) {
                    result.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            fail(ErrorCode.NOT_SERVING, "this node is closed");
        }
    }

    private void fail(ErrorCode code, String message) {
        result.completeExceptionally(DhtException.of(code, message));
    }
}
