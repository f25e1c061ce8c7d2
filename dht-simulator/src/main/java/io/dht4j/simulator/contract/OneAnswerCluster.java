package io.dht4j.simulator.contract;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.ClusterMembership;
import io.dht4j.DhtException;
import io.dht4j.Key;
import io.dht4j.KeyPlacement;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Node;
import io.dht4j.NodeOperations;
import io.dht4j.NodeStatus;
import io.dht4j.RepairStatus;
import io.dht4j.ReplicationPolicy;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Snapshot;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.Version;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A cluster that gives every call the same answer, a failure or none, and counts the calls. */
final class OneAnswerCluster implements Cluster {

    private final Optional<DhtException> failure;
    private final AtomicInteger calls = new AtomicInteger();
    private final Queue<CompletableFuture<?>> unanswered = new ConcurrentLinkedQueue<>();

    private final Optional<ClusterMembership> membership;

    private OneAnswerCluster(Optional<DhtException> failure, Optional<ClusterMembership> membership) {
        this.failure = failure;
        this.membership = membership;
    }

    static OneAnswerCluster of(ClusterMembership membership) {
        return new OneAnswerCluster(Optional.empty(), Optional.of(membership));
    }

    static OneAnswerCluster failing(DhtException failure) {
        return new OneAnswerCluster(Optional.of(failure), Optional.empty());
    }

    static OneAnswerCluster silent() {
        return new OneAnswerCluster(Optional.empty(), Optional.empty());
    }

    /** Returns how many calls have arrived. */
    int calls() {
        return calls.get();
    }

    private <T> CompletionStage<T> answer() {
        calls.incrementAndGet();
        CompletableFuture<T> stage = new CompletableFuture<>();
        failure.ifPresentOrElse(stage::completeExceptionally, () -> unanswered.add(stage));
        return stage;
    }

    /** Fails all unanswered calls. */
    void fail(DhtException late) {
        unanswered.forEach(stage -> stage.completeExceptionally(late));
    }

    @Override
    public CompletionStage<Optional<Value>> get(Key key, CallOptions options) {
        return answer();
    }

    @Override
    public CompletionStage<Version> put(Key key, byte[] value, CallOptions options) {
        return answer();
    }

    @Override
    public CompletionStage<Version> delete(Key key, CallOptions options) {
        return answer();
    }

    @Override
    public CompletionStage<Map<Key, Value>> getAll(Collection<Key> keys, CallOptions options) {
        return answer();
    }

    @Override
    public CompletionStage<Version> putAll(Map<Key, byte[]> values, CallOptions options) {
        return answer();
    }

    @Override
    public Scan scan(KeyRange range, ScanScope scope, CallOptions options) {
        return new Scan() {
            @Override
            public CompletionStage<List<KeyValue>> next() {
                return answer();
            }

            @Override
            public void close() {
                // holds no resources
            }
        };
    }

    @Override
    public CompletionStage<AtomicResult> execute(String map, Key key, AtomicChange change, CallOptions options) {
        return answer();
    }

    @Override
    public CompletionStage<Snapshot> openSnapshot(Duration lease, CallOptions options) {
        return answer();
    }

    @Override
    public Snapshot snapshot(Version version) {
        return new Snapshot() {
            @Override
            public Version version() {
                return version;
            }

            @Override
            public Scan scan(KeyRange range, CallOptions options) {
                return OneAnswerCluster.this.scan(range, ScanScope.CLUSTER, options);
            }

            @Override
            public CompletionStage<Void> close(CallOptions options) {
                return answer();
            }
        };
    }

    @Override
    public CompletionStage<KeyPlacement> locate(Key key) {
        return answer();
    }

    @Override
    public ClusterMembership membership() {
        return membership.orElseGet(Cluster.super::membership);
    }

    @Override
    public Topology topology() {
        return Topology.of(Node.of("only", "nowhere:1"));
    }

    @Override
    public ReplicationPolicy defaultPolicy() {
        return new ReplicationPolicy(1, 1);
    }

    @Override
    public NodeOperations operations() {
        return new NodeOperations() {
            @Override
            public CompletionStage<NodeStatus> status() {
                return answer();
            }

            @Override
            public CompletionStage<RepairStatus> repair(Set<Integer> partitions) {
                return answer();
            }

            @Override
            public CompletionStage<RepairStatus> repairStatus() {
                return answer();
            }
        };
    }

    @Override
    public void close() {
        // holds no resources
    }
}
