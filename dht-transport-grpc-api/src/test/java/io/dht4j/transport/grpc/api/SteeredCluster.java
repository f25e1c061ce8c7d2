package io.dht4j.transport.grpc.api;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyPlacement;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.NodeOperations;
import io.dht4j.NodeStatus;
import io.dht4j.OverloadCounts;
import io.dht4j.RefillStatus;
import io.dht4j.RepairStatus;
import io.dht4j.ReplicationPolicy;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Snapshot;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.Version;
import java.time.Duration;
import java.util.ArrayList;
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

/**
 * A cluster of one node whose single-key calls wait until the test answers them, and whose scans go on for ever or fail
 * when they are told to.
 */
public final class SteeredCluster implements Cluster {

    private static final int PAGE_ENTRIES = 100;

    CompletableFuture<Void> ready = CompletableFuture.completedFuture(null);
    final Queue<CompletableFuture<Optional<Value>>> gets = new ConcurrentLinkedQueue<>();
    final Queue<CompletableFuture<Version>> writes = new ConcurrentLinkedQueue<>();
    final Queue<CompletableFuture<AtomicResult>> atomics = new ConcurrentLinkedQueue<>();
    final Queue<AtomicChange> changes = new ConcurrentLinkedQueue<>();
    final Queue<CallOptions> options = new ConcurrentLinkedQueue<>();
    final AtomicInteger pages = new AtomicInteger();
    final AtomicInteger openScans = new AtomicInteger();
    /** The page, counted from 1, that fails. */
    volatile int failingPage = Integer.MAX_VALUE;
    /** Runs on the thread of each get. */
    volatile Runnable onNextGet = () -> {};
    /** Bytes of each value that a scan shows. */
    volatile int scannedValueBytes = 1000;

    static Value value(int bytes) {
        return new Value(new byte[bytes], Version.of(1, 0), Optional.empty());
    }

    @Override
    public CompletionStage<Void> ready() {
        return ready;
    }

    @Override
    public CompletionStage<Optional<Value>> get(Key key, CallOptions call) {
        onNextGet.run();
        options.add(call);
        CompletableFuture<Optional<Value>> answer = new CompletableFuture<>();
        gets.add(answer);
        return answer;
    }

    @Override
    public CompletionStage<Version> put(Key key, byte[] value, CallOptions call) {
        options.add(call);
        CompletableFuture<Version> answer = new CompletableFuture<>();
        writes.add(answer);
        return answer;
    }

    @Override
    public CompletionStage<Version> delete(Key key, CallOptions call) {
        throw new IllegalStateException("a fault in the cluster");
    }

    @Override
    public CompletionStage<Map<Key, Value>> getAll(Collection<Key> keys, CallOptions call) {
        return CompletableFuture.failedFuture(new IllegalStateException("another fault in the cluster"));
    }

    @Override
    public CompletionStage<Version> putAll(Map<Key, byte[]> values, CallOptions call) {
        throw DhtException.of(ErrorCode.WRITE_INDETERMINATE, "putAll: 1 of 2 needed replicas confirmed");
    }

    @Override
    public CompletionStage<AtomicResult> execute(String map, Key key, AtomicChange change, CallOptions call) {
        options.add(call);
        changes.add(change);
        CompletableFuture<AtomicResult> answer = new CompletableFuture<>();
        atomics.add(answer);
        return answer;
    }

    @Override
    public Scan scan(KeyRange range, ScanScope scope, CallOptions call) {
        openScans.incrementAndGet();
        return new Scan() {
            private int page;
            private boolean closed;

            @Override
            public CompletionStage<List<KeyValue>> next() {
                pages.incrementAndGet();
                page++;
                if (page >= failingPage) {
                    return CompletableFuture.failedFuture(
                            DhtException.of(ErrorCode.NOT_ENOUGH_REPLICAS, "scan: page " + page));
                }
                List<KeyValue> entries = new ArrayList<>();
                for (int i = 0; i < PAGE_ENTRIES; i++) {
                    entries.add(new KeyValue(Key.of("%06d %03d".formatted(page, i)), value(scannedValueBytes)));
                }
                return CompletableFuture.completedFuture(entries);
            }

            @Override
            public synchronized void close() {
                if (!closed) {
                    closed = true;
                    openScans.decrementAndGet();
                }
            }
        };
    }

    @Override
    public CompletionStage<Snapshot> openSnapshot(Duration lease, CallOptions call) {
        throw new IllegalStateException("a fault in the cluster");
    }

    @Override
    public Snapshot snapshot(Version version) {
        return new Snapshot() {
            @Override
            public Version version() {
                return version;
            }

            @Override
            public Scan scan(KeyRange range, CallOptions call) {
                return SteeredCluster.this.scan(range, ScanScope.CLUSTER, call);
            }

            @Override
            public CompletionStage<Void> close(CallOptions call) {
                throw new IllegalStateException("a fault in the cluster");
            }
        };
    }

    @Override
    public CompletionStage<KeyPlacement> locate(Key key) {
        return CompletableFuture.completedFuture(new KeyPlacement(0, topology().nodes()));
    }

    @Override
    public Topology topology() {
        return Topology.of(Node.of("n1", "h1:1"));
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
                return CompletableFuture.completedFuture(new NodeStatus(
                        new NodeId("n1"),
                        topology(),
                        1,
                        1,
                        "p",
                        "h",
                        "t",
                        "s",
                        "v",
                        0,
                        Duration.ZERO,
                        0,
                        0,
                        OverloadCounts.none(),
                        List.of(),
                        RefillStatus.NONE,
                        List.of(),
                        List.of(),
                        Optional.empty(),
                        Duration.ofMillis(1),
                        Map.of()));
            }

            @Override
            public CompletionStage<RepairStatus> repair(Set<Integer> partitions) {
                return repairStatus();
            }

            @Override
            public CompletionStage<RepairStatus> repairStatus() {
                return CompletableFuture.completedFuture(new RepairStatus(
                        new NodeId("n1"), false, 0, 0, 0, 0, 0, 0, 0, Optional.empty(), false, Map.of()));
            }
        };
    }

    @Override
    public void close() {}
}
