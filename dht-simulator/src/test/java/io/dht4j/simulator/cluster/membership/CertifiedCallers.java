package io.dht4j.simulator.cluster.membership;

import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/** A transport whose callers prove the name n0, as by a certificate. */
final class CertifiedCallers implements Transport {

    private final Transport wire;
    private final LongSupplier nanoTime;

    CertifiedCallers(Transport wire, LongSupplier nanoTime) {
        this.wire = wire;
        this.nanoTime = nanoTime;
    }

    @Override
    public CompletionStage<Void> start(FrameHandler handler) {
        return wire.start((frame, context) ->
                handler.handle(frame, new CallContext(nanoTime, context.remainingNanos(), Set.of("n0"))));
    }

    @Override
    public CompletionStage<byte[]> call(Node to, Frame request, CallContext context) {
        return wire.call(to, request, context);
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
