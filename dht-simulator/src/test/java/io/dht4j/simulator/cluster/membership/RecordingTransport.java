package io.dht4j.simulator.cluster.membership;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Records in an agreed cluster what one of its nodes sends and serves. */
final class RecordingTransport implements Transport {

    private final AgreedCluster cluster;
    private final int from;
    private final Transport wire;

    RecordingTransport(AgreedCluster cluster, int from, Transport wire) {
        this.cluster = cluster;
        this.from = from;
        this.wire = wire;
    }

    @Override
    public CompletionStage<Void> start(FrameHandler handler) {
        cluster.handlers.put(from, handler);
        return wire.start(new FrameHandler() {
            @Override
            public CompletionStage<byte[]> handle(byte[] frame, CallContext context) {
                CompletionStage<byte[]> reply = handler.handle(frame, context);
                cluster.served.add(new AgreedCluster.Served(from, frame));
                return reply;
            }

            @Override
            public Optional<NodeId> self() {
                return handler.self();
            }

            @Override
            public boolean mayCall(String name) {
                return handler.mayCall(name);
            }
        });
    }

    @Override
    public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
        AgreedCluster.Sent frame =
                new AgreedCluster.Sent(from, Integer.parseInt(node.id().value().substring(1)), request.toBytes());
        cluster.sent.add(frame);
        return wire.call(node, cluster.onTheWire.apply(request), context).thenApply(reply -> {
            frame.reply = reply;
            return reply;
        });
    }

    @Override
    public void forget(Node node) {
        cluster.forgotten.computeIfAbsent(from, any -> new ArrayList<>()).add(node);
        wire.forget(node);
    }

    @Override
    public String name() {
        return wire.name();
    }

    @Override
    public void close() {
        wire.close();
    }
}
