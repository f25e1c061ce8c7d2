package io.dht4j.core.internal.coordinator.node;

import io.dht4j.CallOptions;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.KeyRange;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Version;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.admission.ByteBudget;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.quorum.CallPolicy;
import io.dht4j.core.internal.coordinator.scan.ClusterScan;
import io.dht4j.core.internal.coordinator.scan.SnapshotOpening;
import io.dht4j.core.internal.snapshot.Snapshots;
import io.dht4j.spi.CallContext;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Validates scans and calls about snapshots, and starts them. Does not block; safe for use by any number of threads.
 */
final class ScanCalls {

    private final NodeRuntime runtime;
    private final NodeComponents components;
    private final ReplicaClient client;
    private final Admission admission;
    private final CallRules rules;
    private final WriteCalls writes;
    private final Readiness readiness;
    private final ByteBudget budget;

    ScanCalls(
            NodeRuntime runtime,
            Admission admission,
            CallRules rules,
            WriteCalls writes,
            Readiness readiness,
            ByteBudget budget) {
        this.runtime = runtime;
        this.components = runtime.local.components;
        this.client = runtime.peers.client;
        this.admission = admission;
        this.rules = rules;
        this.writes = writes;
        this.readiness = readiness;
        this.budget = budget;
    }

    /** Returns a scan that begins with its first page: of a snapshot, or of the newest entries. */
    Scan scan(KeyRange range, ScanScope scope, CallOptions options, Optional<Version> snapshot) {
        return new ScanPages(
                admission,
                runtime.observations,
                rules,
                readiness,
                scope,
                options,
                range,
                rest -> begin(rest, scope, options, snapshot));
    }

    private ClusterScan begin(KeyRange range, ScanScope scope, CallOptions options, Optional<Version> snapshot) {
        rules.refuseTimeToLive(options);
        rules.refuseOrdering(options);
        if (scope == ScanScope.NODE && !components.isNode()) {
            throw new InvalidRequestException(
                    ErrorCode.SCAN_INVALID, "this member stores nothing: ask a node for its own entries");
        }
        return new ClusterScan(components, client, budget, range, scope, rules.policy(options), snapshot);
    }

    /** Opens a snapshot. */
    CompletableFuture<Version> openSnapshot(Duration lease, CallOptions options) {
        rules.refuseTimeToLive(options);
        rules.refuseOrdering(options);
        Snapshots.requireLease(lease);
        CallPolicy policy = rules.policy(options);
        CallContext context = rules.context(options);
        return writes.awaitConfirmation(context)
                .thenCompose(right -> SnapshotOpening.start(
                        components,
                        client,
                        runtime.local.clock,
                        runtime.local.snapshots,
                        policy,
                        lease.toNanos(),
                        context));
    }

    /** Closes a snapshot on all nodes that answer. */
    CompletableFuture<Void> closeSnapshot(Version snapshot, CallOptions options) {
        return SnapshotOpening.end(components, client, snapshot, rules.context(options));
    }
}
