package io.dht4j.simulator.cluster.membership;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.ForwardingTransport;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/** A transport whose callers prove the name n0, as by a certificate. */
final class CertifiedCallers extends ForwardingTransport {

    private final LongSupplier nanoTime;

    CertifiedCallers(Transport wire, LongSupplier nanoTime) {
        super(wire);
        this.nanoTime = nanoTime;
    }

    @Override
    public CompletionStage<Void> start(FrameHandler handler) {
        return super.start((frame, context) ->
                handler.handle(frame, new CallContext(nanoTime, context.remainingNanos(), Set.of("n0"))));
    }
}
