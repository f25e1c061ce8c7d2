package io.dht4j.spring.boot.health;

import io.dht4j.Cluster;
import io.dht4j.NodeStatus;
import io.dht4j.StoreProblem;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/** Clusters that report another status than their own. */
public final class StatusOfCluster {

    private StatusOfCluster() {}

    /** Returns a node alone whose status passes through a function. */
    public static Cluster replaced(Cluster node, UnaryOperator<CompletionStage<NodeStatus>> status) {
        return (Cluster) Proxy.newProxyInstance(
                StatusOfCluster.class.getClassLoader(), new Class<?>[] {Cluster.class}, (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(node, arguments);
                        return method.getName().equals("status") ? status.apply(node.status()) : result;
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
