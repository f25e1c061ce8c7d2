package io.dht4j.benchmarks.blocking;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.IndeterminateException;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.KeyPlacement;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.NodeOperations;
import io.dht4j.NodeStatus;
import io.dht4j.OverloadedException;
import io.dht4j.RepairStatus;
import io.dht4j.ReplicationPolicy;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Snapshot;
import io.dht4j.Topology;
import io.dht4j.UnavailableException;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.HashFunctions;
import io.dht4j.core.Placements;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Frame;
import io.dht4j.spi.HashFunction;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Store;
import io.dht4j.spi.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A coordinator with a worker for each request. The worker sends the requests to the replicas, waits for one after the
 * other, and merges the answers when it has enough. It has reads and writes of single keys only. Safe for use by any
 * number of threads.
 */
public final class BlockingCluster implements Cluster {

    private static final int PARTITIONS = 1024;
    private static final int QUEUE = 4096;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final Node self;
    private final Topology topology;
    private final Transport transport;
    private final Store store;
    private final HashFunction hash = HashFunctions.xxh3();
    private final PartitionTable table;
    private final ThreadPoolExecutor workers;
    /** Separate threads: if all workers waited for replicas, none would answer the other nodes. */
    private final ThreadPoolExecutor replicaWorkers;

    private final AtomicLong clock = new AtomicLong();

    /**
     * Starts a node. Blocks until its transport listens.
     *
     * @param self this node, one of the topology's
     * @param topology all nodes
     * @param transport started here, and closed with this
     * @param store closed with this
     * @param threads for requests that wait for replicas, and as many for other nodes' requests; 1 to 4096
     */
    public BlockingCluster(Node self, Topology topology, Transport transport, Store store, int threads) {
        this.self = self;
        this.topology = topology;
        this.transport = transport;
        this.store = store;
        this.table = Placements.rendezvous().assign(topology, PARTITIONS);
        this.workers = pool("worker", threads);
        this.replicaWorkers = pool("replica", threads);
        transport.start(this::serve).toCompletableFuture().join();
    }

    private static ThreadPoolExecutor pool(String name, int threads) {
        return new ThreadPoolExecutor(threads, threads, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(QUEUE), task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    private CompletionStage<byte[]> serve(byte[] frame, CallContext context) {
        return submit(replicaWorkers, () -> {
            if (Message.isRead(frame)) {
                return Message.found(store.get(Message.keyOf(frame)));
            }
            apply(Message.entryOf(frame));
            return Message.found(Optional.empty());
        });
    }

    private void apply(Optional<Entry> entry) {
        store.apply(entry.stream().toList());
    }

    @Override
    public CompletionStage<Optional<Value>> get(Key key, CallOptions options) {
        return submit(workers, () -> read(key, options));
    }

    @Override
    public CompletionStage<Version> put(Key key, byte[] value, CallOptions options) {
        return submit(workers, () -> write(Entry.value(key, version(), value, Entry.NEVER), options));
    }

    @Override
    public CompletionStage<Version> delete(Key key, CallOptions options) {
        return submit(workers, () -> write(Entry.tombstone(key, version()), options));
    }

    private Optional<Value> read(Key key, CallOptions options) throws InterruptedException {
        ReplicationPolicy policy = policy(options);
        long deadline = deadline(options);
        List<CompletableFuture<byte[]>> calls = callOthers(key, Message.read(key), policy, deadline);
        List<Optional<Entry>> answers = new ArrayList<>();
        if (isReplica(key, policy)) {
            answers.add(store.get(key));
        }
        for (CompletableFuture<byte[]> call : calls) {
            if (answers.size() >= policy.ack()) {
                break;
            }
            await(call, deadline).map(Message::entryOf).ifPresent(answers::add);
        }
        if (answers.size() < policy.ack()) {
            throw new UnavailableException(
                    ErrorCode.NOT_ENOUGH_REPLICAS,
                    answers.size() + " of " + policy.ack() + " needed replicas answered");
        }
        return merge(answers);
    }

    private static Optional<Value> merge(List<Optional<Entry>> answers) {
        return answers.stream()
                .flatMap(Optional::stream)
                .reduce(Entry::newest)
                .filter(entry -> !entry.isTombstone())
                .map(entry -> new Value(entry.value(), entry.version(), Optional.empty()));
    }

    private Version write(Entry entry, CallOptions options) throws InterruptedException {
        ReplicationPolicy policy = policy(options);
        long deadline = deadline(options);
        List<CompletableFuture<byte[]>> calls = callOthers(entry.key(), Message.apply(entry), policy, deadline);
        int acks = 0;
        if (isReplica(entry.key(), policy)) {
            apply(Optional.of(entry));
            acks++;
        }
        for (CompletableFuture<byte[]> call : calls) {
            if (acks >= policy.ack()) {
                break;
            }
            acks += await(call, deadline).isPresent() ? 1 : 0;
        }
        if (acks < policy.ack()) {
            throw new IndeterminateException(
                    ErrorCode.WRITE_INDETERMINATE, acks + " of " + policy.ack() + " needed replicas answered");
        }
        return entry.version();
    }

    private List<CompletableFuture<byte[]>> callOthers(Key key, byte[] frame, ReplicationPolicy policy, long deadline) {
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (Node replica : replicas(key, policy)) {
            if (!replica.equals(self)) {
                calls.add(transport
                        .call(replica, Frame.of(frame), new CallContext(System::nanoTime, deadline - System.nanoTime()))
                        .toCompletableFuture());
            }
        }
        return calls;
    }

    private List<Node> replicas(Key key, ReplicationPolicy policy) {
        return table.replicas(table.partitionOf(hash.hash(key.unsafeBytes())), policy.from());
    }

    private boolean isReplica(Key key, ReplicationPolicy policy) {
        return replicas(key, policy).contains(self);
    }

    /** Waits for an answer; empty if the call failed or its deadline has passed. */
    private static Optional<byte[]> await(CompletableFuture<byte[]> call, long deadline) throws InterruptedException {
        try {
            return Optional.of(call.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS));
        } catch (ExecutionException | TimeoutException e) {
            return Optional.empty();
        }
    }

    private static long deadline(CallOptions options) {
        return System.nanoTime() + options.timeout().orElse(TIMEOUT).toNanos();
    }

    private ReplicationPolicy policy(CallOptions options) {
        return options.policy().orElseGet(this::defaultPolicy);
    }

    private Version version() {
        long now = System.currentTimeMillis() << Version.COUNTER_BITS;
        return new Version(clock.updateAndGet(last -> Math.max(now, last + 1)));
    }

    private static <T> CompletionStage<T> submit(ThreadPoolExecutor pool, Callable<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            pool.execute(() -> {
                try {
                    result.complete(work.call());
                } catch (Exception e) {
                    result.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(new OverloadedException(QUEUE + " requests wait for a worker"));
        }
        return result;
    }

    @Override
    public CompletionStage<Map<Key, Value>> getAll(Collection<Key> keys, CallOptions options) {
        return unsupported("getAll");
    }

    @Override
    public CompletionStage<Version> putAll(Map<Key, byte[]> values, CallOptions options) {
        return unsupported("putAll");
    }

    private static <T> CompletionStage<T> unsupported(String what) {
        return CompletableFuture.failedFuture(new InvalidRequestException(
                ErrorCode.METHOD_NOT_ALLOWED, what + ": the blocking coordinator serves single keys only"));
    }

    @Override
    public Scan scan(KeyRange range, ScanScope scope, CallOptions options) {
        throw new InvalidRequestException(
                ErrorCode.METHOD_NOT_ALLOWED, "scan: the blocking coordinator serves single keys only");
    }

    @Override
    public CompletionStage<Snapshot> openSnapshot(Duration lease, CallOptions options) {
        return CompletableFuture.failedFuture(noSnapshots());
    }

    @Override
    public Snapshot snapshot(Version version) {
        throw noSnapshots();
    }

    private static InvalidRequestException noSnapshots() {
        return new InvalidRequestException(
                ErrorCode.METHOD_NOT_ALLOWED, "snapshot: the blocking coordinator serves single keys only");
    }

    @Override
    public CompletionStage<KeyPlacement> locate(Key key) {
        int partition = table.partitionOf(hash.hash(key.unsafeBytes()));
        return CompletableFuture.completedFuture(
                new KeyPlacement(partition, table.replicas(partition, topology.size())));
    }

    @Override
    public Topology topology() {
        return topology;
    }

    @Override
    public ReplicationPolicy defaultPolicy() {
        return ReplicationPolicy.majorityOf(Math.min(3, topology.size()));
    }

    @Override
    public NodeOperations operations() {
        return new NodeOperations() {
            @Override
            public CompletionStage<NodeStatus> status() {
                return unsupported("status");
            }

            @Override
            public CompletionStage<RepairStatus> repair(Set<Integer> partitions) {
                return unsupported("repair");
            }

            @Override
            public CompletionStage<RepairStatus> repairStatus() {
                return unsupported("repair");
            }
        };
    }

    /** Ends requests in flight, and closes transport and store. */
    @Override
    public void close() {
        transport.close();
        workers.shutdown();
        replicaWorkers.shutdown();
        boolean ended;
        try {
            ended = workers.awaitTermination(TIMEOUT.toSeconds(), TimeUnit.SECONDS)
                    && replicaWorkers.awaitTermination(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            ended = false;
        }
        if (ended) {
            store.close();
        }
    }
}
