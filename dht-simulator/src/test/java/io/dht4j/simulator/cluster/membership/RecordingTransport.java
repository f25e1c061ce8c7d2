package io.dht4j.simulator.cluster.membership;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.ForwardingTransport;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Records in an agreed cluster what one of its nodes sends and serves. */
final class RecordingTransport extends ForwardingTransport {

    private final AgreedCluster cluster;
    private final int from;

    RecordingTransport(AgreedCluster cluster, int from, Transport wire) {
        super(wire);
        this.cluster = cluster;
        this.from = from;
    }

    @Override
    public CompletionStage<Void> start(FrameHandler handler) {
        cluster.handlers.put(from, handler);
        return super.start(new FrameHandler() {
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
        return super.call(node, cluster.onTheWire.apply(request), context).thenApply(reply -> {
            frame.reply = reply;
            return reply;
        });
    }

    @Override
    public void forget(Node node) {
        cluster.forgotten.computeIfAbsent(from, any -> new ArrayList<>()).add(node);
        super.forget(node);
    }
}
