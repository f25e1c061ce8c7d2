package io.dht4j.simulator.cluster.membership;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.Environment;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLog;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A member of a log that takes itself for the leader, whoever leads. What it appends reaches the leader, late: as the
 * commands of a leader that has been superseded and has not noticed, if each of them got through.
 */
final class EveryoneLeadsLog implements TopologyLog {

    /** On its way a command meets those of others. */
    private static final Duration DELAY = Duration.ofMillis(100);

    private final TopologyLog log;
    private final Collection<TopologyLog> all;
    private final Map<Long, byte[]> agreed;
    private final Environment environment;

    /**
     * Creates one.
     *
     * @param log the member
     * @param all the members, one of which leads
     * @param agreed receives the commands that were appended, by their indexes
     * @param environment timers
     */
    EveryoneLeadsLog(TopologyLog log, Collection<TopologyLog> all, Map<Long, byte[]> agreed, Environment environment) {
        this.log = log;
        this.all = all;
        this.agreed = agreed;
        this.environment = environment;
    }

    @Override
    public boolean leads() {
        return !log.members().isEmpty();
    }

    @Override
    public CompletionStage<Long> append(byte[] command, CallContext context) {
        return later().thenCompose(done -> all.stream()
                        .filter(TopologyLog::leads)
                        .findFirst()
                        .orElse(log)
                        .append(command, context))
                .thenCompose(index -> {
                    agreed.put(index, command);
                    return later().thenApply(done -> index);
                });
    }

    private CompletableFuture<Void> later() {
        CompletableFuture<Void> later = new CompletableFuture<>();
        environment.schedule(() -> later.complete(null), DELAY.toNanos());
        return later;
    }

    @Override
    public boolean isNew() {
        return log.isNew();
    }

    @Override
    public void start(Applier applier, Wire wire) {
        log.start(applier, wire);
    }

    @Override
    public Optional<NodeRef> leader() {
        return log.leader();
    }

    @Override
    public List<NodeRef> members() {
        return log.members();
    }

    @Override
    public CompletionStage<Void> changeMembers(List<NodeRef> wanted, CallContext context) {
        return log.changeMembers(wanted, context);
    }

    @Override
    public void received(NodeRef from, byte[] message) {
        log.received(from, message);
    }

    @Override
    public long malformedMessages() {
        return log.malformedMessages();
    }

    @Override
    public CompletionStage<String> failure() {
        return log.failure();
    }

    @Override
    public void close() {
        log.close();
    }
}
