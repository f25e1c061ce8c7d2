package io.dht4j.core.internal.coordinator.node;

import io.dht4j.NodeGauges;
import io.dht4j.NodeGauges.Bounded;
import io.dht4j.NodeGauges.StoreSize;
import io.dht4j.NodeGauges.Takeover;
import io.dht4j.OverloadCounts;
import io.dht4j.StoreStatistics;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.admission.ByteBudget;
import io.dht4j.core.internal.admission.RetryBudget;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.view.BatchProgress;
import io.dht4j.spi.StoreSpace;
import io.dht4j.spi.Transport;
import java.util.List;
import java.util.Optional;

/**
 * Reports the work in flight at a node, and the work that it has refused. Does not block; safe for use by any number of
 * threads.
 */
final class LoadReport {

    private final NodeRuntime runtime;
    private final Transport transport;
    private final LostQuorums lostQuorums;
    private final Admission admission;
    private final ByteBudget readBytes;
    private final long snapshotLimit;

    LoadReport(
            NodeRuntime runtime, Transport transport, Admission admission, ByteBudget readBytes, long snapshotLimit) {
        this.runtime = runtime;
        this.transport = transport;
        this.lostQuorums = new LostQuorums(
                runtime.local.components::view, runtime.peers::suspects, runtime.peers.disagreements::ofCalled);
        this.admission = admission;
        this.readBytes = readBytes;
        this.snapshotLimit = snapshotLimit;
    }

    /** Returns what was refused, dropped or repeated. */
    OverloadCounts overload() {
        ReplicaClient client = runtime.peers.client;
        RetryBudget budget = client.budget();
        return new OverloadCounts(
                admission.refused() + client.limits().refusedCalls(),
                runtime.local.replica.dropped(),
                client.limits().refusedRequests(),
                budget.retries(),
                budget.hedges(),
                budget.denied());
    }

    /** Returns what the node has in hand, with what is known of its store. */
    NodeGauges gauges(Optional<StoreSpace> space, Optional<StoreStatistics> statistics) {
        return new NodeGauges(
                admission.number(),
                admission.bytes(),
                readBytes.held(),
                runtime.local.replica.waiting(),
                runtime.local.replica.waitingBytes(),
                new Bounded(runtime.local.snapshots.bytes(), snapshotLimit),
                runtime.peers.client.limits().outstanding(),
                runtime.peers.clocks.offsets(),
                transport.connections(),
                lostQuorums.count(),
                runtime.background
                        .moves
                        .map(moves -> takeover(moves.progress()))
                        .orElse(Takeover.NONE),
                runtime.registers.counts(),
                space.map(known -> new StoreSize(known.usedBytes(), known.freeBytes())),
                statistics);
    }

    private static Takeover takeover(List<BatchProgress> moves) {
        return new Takeover(
                moves.size(),
                moves.stream().mapToLong(BatchProgress::copiedBytes).sum(),
                moves.stream().mapToLong(BatchProgress::totalBytes).sum());
    }
}
