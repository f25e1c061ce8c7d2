package io.dht4j.core.internal.repair.session;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.core.internal.admission.Throttle;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.repair.RepairCounters;
import io.dht4j.core.internal.repair.RepairPeers;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.options.Repair;
import io.dht4j.spi.Environment;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Compares the partitions that this node copies with a node that has them, outside of any session: without seals and
 * purges. Both sides are reconciled to the newest entry of each key. Does not block; safe for use by any number of
 * threads.
 */
public final class CopyComparison {

    private final SessionContext context;

    /**
     * The result of a comparison.
     *
     * @param differed partitions in which one side lacked an entry that is older than the given version
     * @param lacking partitions in which this node refuses an entry of the other side, or cannot fetch it
     */
    public record Result(PartitionSet differed, PartitionSet lacking) {}

    /**
     * Creates a comparison.
     *
     * @param environment time, timers and store threads
     * @param self this node
     * @param local this node's replicas
     * @param peers the other replicas
     * @param throttle limits the load
     * @param options how long differences last before they count
     * @param counters count the work
     */
    public CopyComparison(
            Environment environment,
            NodeId self,
            LocalReplica local,
            RepairPeers peers,
            Throttle throttle,
            Repair options,
            RepairCounters counters) {
        this.context = new SessionContext(
                environment, local, peers, throttle, options, counters, self, Set.of(), (node, partitions) -> {});
    }

    /**
     * Returns the partitions whose content differs from that of another node now.
     *
     * @param node the other node
     * @param partitions partitions of both
     * @return completes with those that differ; or with an exception if the node cannot be compared with
     */
    public CompletableFuture<PartitionSet> differing(Node node, PartitionSet partitions) {
        Comparison comparison = new Comparison(context, node, LocalReplica.NO_SEAL);
        return comparison.compareSumsUnsealed(partitions).thenApply(done -> comparison.differing());
    }

    /**
     * Sends another node the entries that it lacks, except those that it has purged. Fetches none.
     *
     * @param view the view of the requests; a node with other replicas of the partitions refuses them
     * @param node the other node
     * @param partitions partitions of the other node
     * @return completes with the partitions in which the other node refuses an entry; or with an exception if it cannot
     *     be compared with
     */
    public CompletableFuture<PartitionSet> send(ClusterView view, Node node, PartitionSet partitions) {
        Comparison comparison = new Comparison(context.at(view), node, LocalReplica.NO_SEAL);
        return comparison
                .compareSumsUnsealed(partitions)
                .thenCompose(done -> comparison.send())
                .thenApply(ComparedPartitions.Result::unreconciled);
    }

    /**
     * Reconciles this node with another one.
     *
     * @param node the other node
     * @param partitions partitions of both
     * @param before a version; newer differences come from writes in flight
     * @return completes with the result; or with an exception if the node cannot be compared with
     */
    public CompletableFuture<Result> reconcile(Node node, PartitionSet partitions, Version before) {
        Comparison comparison = new Comparison(context, node, before);
        return comparison
                .copying()
                .compareSumsUnsealed(partitions)
                .thenCompose(done -> comparison.reconcile(Map.of()))
                .thenApply(result -> new Result(result.differingBeforeSeal(), result.lacking()));
    }
}
