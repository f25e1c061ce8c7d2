package io.dht4j.simulator.cluster.membership;

import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.ForwardingTransport;
import java.util.concurrent.CompletionStage;

/** The transport of a node of an earlier version, which does not know a type of requests. */
final class EarlierVersion extends ForwardingTransport {

    private static final byte UNKNOWN = 99;

    private final byte type;

    EarlierVersion(Transport transport, byte type) {
        super(transport);
        this.type = type;
    }

    @Override
    public CompletionStage<Void> start(FrameHandler handler) {
        return super.start((frame, context) -> {
            byte[] seen = frame.clone();
            if (seen[1] == type) {
                seen[1] = UNKNOWN;
            }
            return handler.handle(seen, context);
        });
    }
}
