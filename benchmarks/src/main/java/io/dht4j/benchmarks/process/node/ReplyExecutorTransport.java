package io.dht4j.benchmarks.process.node;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.PeerConnections;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** Completes the replies of another transport on the threads of a pool. */
final class ReplyExecutorTransport implements Transport {

    private final Transport inner;
    private final Executor replies;
    private final Runnable atClose;

    ReplyExecutorTransport(Transport inner, Executor replies, Runnable atClose) {
        this.inner = inner;
        this.replies = replies;
        this.atClose = atClose;
    }

    @Override
    public CompletionStage<Void> start(FrameHandler handler) {
        return inner.start(handler);
    }

    @Override
    public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
        return inner.call(node, request, context).thenApplyAsync(Function.identity(), replies);
    }

    @Override
    public CompletionStage<List<Set<String>>> endpoints(List<Node> nodes) {
        return inner.endpoints(nodes);
    }

    @Override
    public Map<NodeId, PeerConnections> connections() {
        return inner.connections();
    }

    @Override
    public void forget(Node node) {
        inner.forget(node);
    }

    @Override
    public String name() {
        return inner.name();
    }

    @Override
    public void close() {
        inner.close();
        atClose.run();
    }
}
