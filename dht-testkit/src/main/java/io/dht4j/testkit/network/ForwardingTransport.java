package io.dht4j.testkit.network;

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

/**
 * A transport that forwards every call to another one. Subclasses override methods. As safe for several threads as the
 * other transport.
 */
public abstract class ForwardingTransport implements Transport {

    private final Transport transport;

    /**
     * Creates a transport that forwards to another one.
     *
     * @param transport the other transport, which is closed with this one
     */
    protected ForwardingTransport(Transport transport) {
        this.transport = transport;
    }

    @Override
    public CompletionStage<Void> start(FrameHandler handler) {
        return transport.start(handler);
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
        return transport.failure();
    }

    @Override
    public String name() {
        return transport.name();
    }

    @Override
    public void close() {
        transport.close();
    }
}
