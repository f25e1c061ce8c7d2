package io.dht4j.simulator.cluster.membership;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLog;
import io.dht4j.spi.TopologyLogException;
import io.dht4j.spi.TopologyLogException.Outcome;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The log of a member that reaches no majority. */
final class SilentLog implements TopologyLog {

    @Override
    public boolean isNew() {
        return false;
    }

    @Override
    public void start(Applier applier, Wire wire) {
        // Nothing is ever agreed.
    }

    @Override
    public CompletionStage<Long> append(byte[] command, CallContext context) {
        return CompletableFuture.failedFuture(new TopologyLogException(Outcome.NOT_LEADER, "there is no leader"));
    }

    @Override
    public boolean leads() {
        return false;
    }

    @Override
    public Optional<NodeRef> leader() {
        return Optional.empty();
    }

    @Override
    public List<NodeRef> members() {
        return List.of();
    }

    @Override
    public CompletionStage<Void> changeMembers(List<NodeRef> wanted, CallContext context) {
        return CompletableFuture.failedFuture(new TopologyLogException(Outcome.NOT_LEADER, "there is no leader"));
    }

    @Override
    public void received(NodeRef from, byte[] message) {
        // Nobody is heard.
    }

    @Override
    public long malformedMessages() {
        return 0;
    }

    @Override
    public CompletionStage<String> failure() {
        return new CompletableFuture<>();
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
