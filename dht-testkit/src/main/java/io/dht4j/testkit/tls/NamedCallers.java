package io.dht4j.testkit.tls;

import static io.dht4j.testkit.transport.Calls.echo;

import io.dht4j.NodeId;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.FrameHandler;
import io.dht4j.testkit.transport.TransportHarness;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** Echoes and counts requests, and allows some names to call. Safe for use by any number of threads. */
final class NamedCallers implements FrameHandler {

    private final Set<String> callers;
    private final TransportHarness.Recorder recorder = new TransportHarness.Recorder(echo());
    private final Set<Set<String>> proven = ConcurrentHashMap.newKeySet();
    private volatile Optional<NodeId> self = Optional.empty();

    NamedCallers(String... callers) {
        this.callers = Set.of(callers);
    }

    @Override
    public CompletionStage<byte[]> handle(byte[] request, CallContext context) {
        proven.add(context.callerNames());
        return recorder.handle(request, context);
    }

    @Override
    public Optional<NodeId> self() {
        return self;
    }

    @Override
    public boolean mayCall(String name) {
        return callers.contains(name);
    }

    /** Makes this the handler of a node. */
    void isNode(NodeId node) {
        self = Optional.of(node);
    }

    /** Returns how many requests have arrived. */
    int count() {
        return recorder.count();
    }

    /** Returns the sets of names that the callers' certificates proved. */
    Set<Set<String>> proven() {
        return proven;
    }
}
