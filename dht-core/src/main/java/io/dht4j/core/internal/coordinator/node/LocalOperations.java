package io.dht4j.core.internal.coordinator.node;

import static java.util.Objects.requireNonNull;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.HotKeys;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.KeyPlacement;
import io.dht4j.KeyReplica;
import io.dht4j.NodeDiagnostics;
import io.dht4j.NodeGauges;
import io.dht4j.NodeOperations;
import io.dht4j.NodeStatus;
import io.dht4j.RepairStatus;
import io.dht4j.SlowCall;
import io.dht4j.UnavailableException;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.membership.agreed.AgreedMembership;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.repair.session.AntiEntropy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** The operations of a node, and what it shows of itself, in its own process. */
final class LocalOperations implements NodeOperations, NodeDiagnostics {

    private final NodeRuntime runtime;
    private final Optional<AgreedMembership> agreed;
    private final Admission admission;
    private final CallRules rules;
    private final ReadCalls reads;
    private final LoadReport load;
    private final StatusReport status;
    private final BooleanSupplier closed;

    LocalOperations(
            NodeRuntime runtime,
            Optional<AgreedMembership> agreed,
            Admission admission,
            CallRules rules,
            ReadCalls reads,
            LoadReport load,
            StatusReport status,
            BooleanSupplier closed) {
        this.runtime = runtime;
        this.agreed = agreed;
        this.admission = admission;
        this.rules = rules;
        this.reads = reads;
        this.load = load;
        this.status = status;
        this.closed = closed;
    }

    /**
     * {@inheritDoc}
     *
     * <p>Not subject to admission, since refused callers want to know why.
     */
    @Override
    public CompletionStage<NodeStatus> status() {
        if (closed.getAsBoolean()) {
            return CompletableFuture.failedFuture(
                    new UnavailableException(ErrorCode.NOT_SERVING, "this node is closed"));
        }
        runtime.peers.lookAround();
        return agreed.isEmpty()
                ? status.ask()
                : status.ask()
                        .thenApply(
                                known -> known.withPublicAddresses(agreed.get().publicAddresses()));
    }

    @Override
    public CompletionStage<RepairStatus> repair(Set<Integer> partitions) {
        requireNonNull(partitions, "partitions");
        return repairing(repair -> {
            admission.requireOpen();
            partitions.forEach(rules::requirePartition);
            return repair.repair(PartitionSet.of(partitions));
        });
    }

    @Override
    public CompletionStage<RepairStatus> repairStatus() {
        return repairing(AntiEntropy::status);
    }

    private CompletionStage<RepairStatus> repairing(Function<AntiEntropy, RepairStatus> call) {
        try {
            return CompletableFuture.completedFuture(call.apply(runtime.background.antiEntropy.orElseThrow(() ->
                    new InvalidRequestException(ErrorCode.BAD_REQUEST, "this member stores nothing: ask a node"))));
        } catch (DhtException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public Optional<NodeDiagnostics> diagnostics() {
        return Optional.of(this);
    }

    @Override
    public NodeGauges gauges() {
        return load.gauges(status.space(), status.storeStatistics());
    }

    @Override
    public List<SlowCall> slowCalls() {
        return runtime.observations.slowCalls();
    }

    @Override
    public CompletionStage<HotKeys> hotKeys(Duration duration, int count) {
        return runtime.local.hotKeys.count(duration, count);
    }

    @Override
    public CompletionStage<List<KeyPlacement>> placements(int first, int count) {
        return CompletableFuture.completedFuture(PlacementReport.of(runtime.local.components.view(), first, count));
    }

    @Override
    public CompletionStage<List<KeyReplica>> replicas(Key key, CallOptions options) {
        requireNonNull(key, "key");
        requireNonNull(options, "options");
        return admission.run(null, () -> reads.replicas(key, options));
    }

    @Override
    public String toString() {
        return "operations of node " + runtime.local.components.self();
    }
}
