package io.dht4j.simulator.internal.node;

import io.dht4j.Node;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.testkit.network.ForwardingTransport;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Delivers each request for an atomic operation at most once, as every transport does: a proposer remembers operations,
 * but not that it has refused one. All other requests are idempotent, and copies of them are delivered.
 */
final class OnceTransport extends ForwardingTransport {

    private final Set<Frame> sent = Collections.newSetFromMap(new IdentityHashMap<>());

    OnceTransport(Transport transport) {
        super(transport);
    }

    @Override
    public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
        if (FrameCodec.isAtomicOperation(request.head()) && !sent.add(request)) {
            return CompletableFuture.failedFuture(
                    new TransportException(Outcome.UNKNOWN, "the request to " + node.id() + " was sent before"));
        }
        return super.call(node, request, context);
    }
}
