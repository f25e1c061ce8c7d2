package io.dht4j.lab;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.PeerConnections;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A candidate's transport, whose methods fail as the contract says even if the candidate throws, and if it does not
 * return from starting, closing or naming endpoints.
 */
final class GuardedTransport implements Transport {

    private final Transport transport;
    private final Guard guard;

    GuardedTransport(Transport transport, Duration bound) {
        this.transport = transport;
        this.guard = new Guard(transport.getClass(), bound);
    }

    @Override
    public CompletionStage<Void> start(FrameHandler handler) {
        try {
            return guard.callBounded("start(handler)", () -> transport.start(handler));
        } catch (CandidateException e) {
            return failed(e);
        }
    }

    /** Does not allocate unless the candidate breaks its contract, since it is on the measured path. */
    @Override
    public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
        @Nullable CompletionStage<byte[]> reply;
        try {
            reply = transport.call(node, request, context);
        } catch (RuntimeException | Error e) {
            return failed(guard.threw("call(node, request, context)", e));
        }
        return reply == null
                ? failed(new CandidateException(guard.type().getName() + ".call(node, request, context) returned null"))
                : reply;
    }

    private static <T> CompletionStage<T> failed(CandidateException e) {
        return CompletableFuture.failedFuture(
                new TransportException(Outcome.UNKNOWN, String.valueOf(e.getMessage()), e));
    }

    @Override
    public CompletionStage<List<Set<String>>> endpoints(List<Node> nodes) {
        try {
            return guard.callBounded("endpoints(nodes)", () -> transport.endpoints(nodes));
        } catch (CandidateException e) {
            return failed(e);
        }
    }

    @Override
    public CompletionStage<String> failure() {
        return guard.call("failure()", transport::failure);
    }

    @Override
    public Map<NodeId, PeerConnections> connections() {
        return guard.call("connections()", transport::connections);
    }

    @Override
    public void forget(Node node) {
        guard.runBounded("forget(node)", () -> transport.forget(node));
    }

    @Override
    public String name() {
        return guard.call("name()", transport::name);
    }

    @Override
    public void close() {
        guard.runBounded("close()", transport::close);
    }
}
