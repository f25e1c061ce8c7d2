package io.dht4j.spring.boot.health;

import io.dht4j.Cluster;
import io.dht4j.NodeDiagnostics;
import io.dht4j.NodeGauges;
import io.dht4j.NodeOperations;
import io.dht4j.NodeStatus;
import io.dht4j.StoreProblem;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Clusters that report another status than their own. */
final class StatusOfCluster {

    private StatusOfCluster() {}

    /** Returns a node alone whose status passes through a function. */
    static Cluster replaced(Cluster node, UnaryOperator<CompletionStage<NodeStatus>> status) {
        NodeOperations operations = node.operations();
        return withOperations(
                node, replaced(NodeOperations.class, operations, "status", () -> status.apply(operations.status())));
    }

    private static Cluster withOperations(Cluster node, NodeOperations operations) {
        return replaced(Cluster.class, node, "operations", () -> operations);
    }

    /** Returns a node alone that is ready when a stage completes. */
    static Cluster ready(Cluster node, CompletionStage<Void> when) {
        return replaced(Cluster.class, node, "ready", () -> when);
    }

    /** Returns a node alone whose gauges tell of this many partitions without a quorum. */
    static Cluster withoutQuorum(Cluster node, int partitions) {
        NodeDiagnostics diagnostics = node.operations().diagnostics().orElseThrow();
        NodeDiagnostics without =
                replaced(NodeDiagnostics.class, diagnostics, "gauges", () -> with(diagnostics.gauges(), partitions));
        return withOperations(
                node, replaced(NodeOperations.class, node.operations(), "diagnostics", () -> Optional.of(without)));
    }

    private static NodeGauges with(NodeGauges gauges, int partitionsWithoutQuorum) {
        return new NodeGauges(
                gauges.calls(),
                gauges.writeBytes(),
                gauges.readBytes(),
                gauges.storeRequests(),
                gauges.storeRequestBytes(),
                gauges.snapshotBytes(),
                gauges.peerRequests(),
                gauges.clockOffsets(),
                gauges.connections(),
                partitionsWithoutQuorum,
                gauges.takeover(),
                gauges.atomicOperations(),
                gauges.store(),
                gauges.storeStatistics());
    }

    private static <T> T replaced(Class<T> type, T object, String name, Supplier<?> answer) {
        return type.cast(Proxy.newProxyInstance(
                StatusOfCluster.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    try {
                        return method.getName().equals(name) ? answer.get() : method.invoke(object, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    /** Returns a status with a store that takes no writes. */
    static NodeStatus readOnly(NodeStatus status) {
        return new NodeStatus(
                status.id(),
                status.topology(),
                status.replicationFactor(),
                status.partitions(),
                status.placement(),
                status.hash(),
                status.transport(),
                status.store(),
                status.version(),
                status.entries(),
                status.entriesAge(),
                status.hintBytes(),
                status.hintBytesDropped(),
                status.overload(),
                List.of(new StoreProblem(StoreProblem.Kind.WRITES_REFUSED, Instant.EPOCH, "no space left on the disk")),
                status.refill(),
                status.suspected(),
                status.disagreeing(),
                status.clockProblem(),
                status.uptime(),
                status.publicAddresses());
    }
}
