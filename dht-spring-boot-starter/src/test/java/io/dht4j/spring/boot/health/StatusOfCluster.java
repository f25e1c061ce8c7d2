package io.dht4j.spring.boot.health;

import io.dht4j.Cluster;
import io.dht4j.NodeGauges;
import io.dht4j.NodeStatus;
import io.dht4j.StoreProblem;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Clusters that report another status than their own. */
public final class StatusOfCluster {

    private StatusOfCluster() {}

    /** Returns a node alone whose status passes through a function. */
    public static Cluster replaced(Cluster node, UnaryOperator<CompletionStage<NodeStatus>> status) {
        return replaced(node, "status", () -> status.apply(node.status()));
    }

    /** Returns a node alone that is ready when a stage completes. */
    public static Cluster ready(Cluster node, CompletionStage<Void> when) {
        return replaced(node, "ready", () -> when);
    }

    /** Returns a node alone whose gauges tell of this many partitions without a quorum. */
    public static Cluster withoutQuorum(Cluster node, int partitions) {
        return replaced(
                node,
                "gauges",
                () -> node.gauges()
                        .map(g -> new NodeGauges(
                                g.calls(),
                                g.writeBytes(),
                                g.readBytes(),
                                g.storeRequests(),
                                g.storeRequestBytes(),
                                g.snapshotBytes(),
                                g.peerRequests(),
                                g.clockOffsets(),
                                g.connections(),
                                partitions,
                                g.takeover(),
                                g.store(),
                                g.storeStatistics())));
    }

    private static Cluster replaced(Cluster node, String name, Supplier<?> answer) {
        return (Cluster) Proxy.newProxyInstance(
                StatusOfCluster.class.getClassLoader(), new Class<?>[] {Cluster.class}, (proxy, method, arguments) -> {
                    try {
                        return method.getName().equals(name) ? answer.get() : method.invoke(node, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Returns a status with a store that takes no writes. */
    public static NodeStatus readOnly(NodeStatus status) {
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
                List.of(new StoreProblem(StoreProblem.Kind.WRITES_REFUSED, 1, "no space left on the disk")),
                status.refill(),
                status.suspected(),
                status.disagreeing(),
                status.clockProblem(),
                status.uptime(),
                status.publicAddresses());
    }
}
