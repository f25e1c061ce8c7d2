package io.dht4j.core.internal.membership.agreed.peer;

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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The transport of a node of an agreed cluster. It already listens when the node is created, since requests about
 * membership come first. Its start only installs the node's handler.
 */
public final class NodeTransport implements Transport {

    private final Transport transport;
    private final MembershipEndpoint endpoint;
    private final CompletableFuture<String> failure;
    private final Runnable closing;

    /**
     * Creates the transport of a node.
     *
     * @param transport a started transport
     * @param endpoint its handler
     * @param failure completes when the node must stop serving
     * @param closing ends the other users of the transport
     */
    public NodeTransport(
            Transport transport, MembershipEndpoint endpoint, CompletableFuture<String> failure, Runnable closing) {
        this.transport = transport;
        this.endpoint = endpoint;
        this.failure = failure;
        this.closing = closing;
        transport.failure().thenAccept(failure::complete);
    }

    @Override
    public CompletionStage<Void> start(FrameHandler handler) {
        endpoint.serves(handler);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
        return transport.call(node, request, context);
    }

    @Override
    public CompletionStage<List<Set<String>>> endpoints(List<Node> nodes) {
        return transport.endpoints(nodes);
    }

    @Override
    public Map<NodeId, PeerConnections> connections() {
        return transport.connections();
    }

    @Override
    public void forget(Node node) {
        transport.forget(node);
    }

    @Override
    public CompletionStage<String> failure() {
        return failure;
    }

    @Override
    public String name() {
        return transport.name();
    }

    @Override
    public void close() {
        try {
            closing.run();
        } finally {
            transport.close();
        }
    }
}
