package io.dht4j.spring.boot.health;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.NodeDiagnostics;
import io.dht4j.NodeGauges;
import io.dht4j.NodeId;
import io.dht4j.NodeStatus;
import io.dht4j.spring.boot.DhtProperties;
import io.dht4j.transport.common.ReadinessConditions;
import io.dht4j.transport.common.ReadinessConditions.Start;
import io.dht4j.transport.common.ReadinessConditions.Unmet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Judges whether a cluster serves, by the conditions of {@code GET /readyz} of the public HTTP API. Safe for use by any
 * number of threads.
 */
final class ClusterHealth {

    private final Cluster cluster;
    private final Duration timeout;
    private final boolean needsQuorum;
    private final CompletableFuture<String> failure;

    /** The last call of the status, which further checks share until it ends. */
    private final AtomicReference<CompletableFuture<NodeStatus>> asked = new AtomicReference<>();

    /** Begins with the first check. */
    private final AtomicReference<@Nullable Start> started = new AtomicReference<>();

    /**
     * The health at one moment.
     *
     * @param problems the obstacles of reads or writes, one line each; empty if the cluster serves
     * @param details facts for people
     */
    record Report(List<String> problems, Map<String, Object> details) {}

    ClusterHealth(Cluster cluster, DhtProperties.Health options) {
        this.cluster = cluster;
        this.timeout = options.timeout();
        this.needsQuorum = options.quorum();
        this.failure = cluster.failure().toCompletableFuture();
    }

    /** Returns the health. Blocks, at most for the timeout. */
    Report report() {
        if (failure.isDone() && !failure.isCompletedExceptionally()) {
            return down(failure.join());
        }
        try {
            return of(status().get(timeout.toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            return down("no status within " + timeout.toMillis() + " ms");
        } catch (ExecutionException e) {
            return down(String.valueOf(DhtException.unwrap(e).getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return down("the check was interrupted");
        }
    }

    private CompletableFuture<NodeStatus> status() {
        CompletableFuture<NodeStatus> last = asked.get();
        if (last != null && !last.isDone()) {
            return last;
        }
        CompletableFuture<NodeStatus> next = cluster.operations().status().toCompletableFuture();
        asked.set(next);
        return next;
    }

    private static Report down(String problem) {
        return new Report(List.of(problem), Map.of());
    }

    private Report of(NodeStatus status) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("node", status.id().value());
        details.put("nodes", status.topology().size());
        if (status.entries() >= 0) {
            details.put("entries", status.entries());
        }
        details.put("suspected", status.suspected().stream().map(NodeId::value).toList());
        Optional<NodeGauges> gauges = cluster.operations().diagnostics().map(NodeDiagnostics::gauges);
        gauges.ifPresent(known -> details.put("partitionsWithoutQuorum", known.partitionsWithoutQuorum()));
        details.put("hintBytes", status.hintBytes());
        details.put("store", status.store());
        details.put("version", status.version());
        List<Unmet> unmet = new ArrayList<>(unmet(status));
        if (needsQuorum) {
            ReadinessConditions.withoutQuorum(status, gauges).ifPresent(unmet::add);
        }
        return new Report(unmet.stream().map(Unmet::detailed).toList(), details);
    }

    private List<Unmet> unmet(NodeStatus status) {
        // The first check begins the start, however it ends.
        Start start = started.updateAndGet(known -> known == null ? Start.of(cluster) : known);
        List<Unmet> unmet = ReadinessConditions.unmet(status);
        return unmet.isEmpty() && start.isGoingOn() ? List.of(Unmet.TOO_FEW_NODES) : unmet;
    }
}
