package io.dht4j;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A replicated key-value store, accessed through one of its nodes or from a process that stores nothing. Safe for use
 * by any number of threads.
 *
 * <p>No method except {@link #close()} blocks. Each returned stage completes by the call's deadline, on any thread;
 * dependent actions must not block either. Failures are {@link DhtException}s, whose subtype says what the caller may
 * do. They complete the stage exceptionally, without a stack trace of their own; methods of a cluster do not throw
 * them. The factories of their arguments do: {@link Key#of(String)}, {@link ReplicationPolicy} and {@link CallOptions}.
 *
 * <p>A method copies its array arguments before it returns. No argument may be null: the call itself throws a
 * {@link NullPointerException} that names the parameter.
 */
public interface Cluster extends AutoCloseable {

    /**
     * Reads a key.
     *
     * @param key the key
     * @param options policy and timeout; a time to live is refused
     * @return a stage that completes with the newest value among the replicas that answered, or empty if the key is
     *     absent, deleted or expired
     */
    CompletionStage<Optional<Value>> get(Key key, CallOptions options);

    /**
     * Writes a key and replaces any older value. When the stage completes normally, {@code ack} replicas hold the value
     * with the durability of their stores.
     *
     * @param key the key
     * @param value 0 bytes up to the cluster's largest value
     * @param options policy, timeout and time to live
     * @return a stage that completes with the version assigned to the write
     */
    CompletionStage<Version> put(Key key, byte[] value, CallOptions options);

    /**
     * Deletes a key, whether present or absent, by writing a tombstone. When the stage completes normally, {@code ack}
     * replicas hold the tombstone with the durability of their stores.
     *
     * @param key the key
     * @param options policy and timeout; a time to live is refused
     * @return a stage that completes with the version assigned to the delete
     */
    CompletionStage<Version> delete(Key key, CallOptions options);

    /**
     * Reads several keys with one message to each node concerned. The result is no snapshot: each key is read
     * separately.
     *
     * @param keys the keys, at most the cluster's largest batch; duplicates count once
     * @param options policy and timeout; a time to live is refused
     * @return a stage that completes with the keys that are present and their values; fails if any key cannot be read
     */
    CompletionStage<Map<Key, Value>> getAll(Collection<Key> keys, CallOptions options);

    /**
     * Writes several keys with one version and one message to each node concerned. The call is no transaction: after a
     * failure some of the keys may have been written.
     *
     * @param values keys and values, at most the cluster's largest batch
     * @param options policy, timeout and time to live
     * @return a stage that completes with the common version when every key was written
     */
    CompletionStage<Version> putAll(Map<Key, byte[]> values, CallOptions options);

    /**
     * Starts a scan. The scan reads nothing until the first page is requested.
     *
     * @param range the keys to show
     * @param scope the entries of the whole cluster or of this node
     * @param options policy and timeout. The timeout applies to each page; the policy applies to the scope
     *     {@link ScanScope#CLUSTER} only; a time to live is refused
     * @return the scan; an invalid option fails its first page
     */
    Scan scan(KeyRange range, ScanScope scope, CallOptions options);

    /**
     * Opens a snapshot of the whole cluster. When the stage completes, the snapshot's version is newer than every write
     * acknowledged before the call. A snapshot whose stage was cancelled ends with its lease.
     *
     * @param lease how long the snapshot may stay unread, {@link Snapshot#MIN_LEASE} to {@link Snapshot#MAX_LEASE}
     * @param options policy and timeout; a time to live is refused. Of the first {@code from} replicas of each
     *     partition, {@code ack} must take part; others take part if they answer
     * @return a stage that completes with the snapshot, which the caller closes
     */
    CompletionStage<Snapshot> openSnapshot(Duration lease, CallOptions options);

    /**
     * Returns a snapshot that was opened before, perhaps at another node. Asks no node.
     *
     * @param version its version
     * @return the snapshot; the pages of its scans fail with {@link ErrorCode#SNAPSHOT_GONE} if it has ended
     */
    Snapshot snapshot(Version version);

    /**
     * Executes an operation on a key of an atomic map. {@link AtomicMap} and {@link AtomicCounter} are made of it.
     *
     * @param map the name of the map, 1 to 255 bytes in UTF-8
     * @param key the key
     * @param change what to do
     * @param options timeout, request id and trace context; anything else is refused
     * @return a stage that completes with the result, also if the condition did not hold. With a request id, a failure
     *     as unavailable or overloaded means that this call has done nothing, not that an earlier one has not. By
     *     default it fails, since this cluster has no atomic operations
     */
    default CompletionStage<AtomicResult> execute(String map, Key key, AtomicChange change, CallOptions options) {
        return CompletableFuture.failedFuture(
                new InvalidRequestException(ErrorCode.BAD_REQUEST, this + " has no atomic operations"));
    }

    /**
     * Returns a map whose operations are linearizable. It needs no creation.
     *
     * @param name the name of the map, 1 to 255 bytes in UTF-8
     * @param keys the codec of keys
     * @param values the codec of values
     * @param <K> the keys
     * @param <V> the values
     * @return the map
     * @throws IllegalArgumentException if the name has another length
     */
    default <K, V> AtomicMap<K, V> atomicMap(String name, Codec<K> keys, Codec<V> values) {
        return new AtomicMap<>(this, name, keys, values);
    }

    /**
     * Returns a counter whose operations are linearizable. It begins at 0 and needs no creation.
     *
     * @param map the name of the map that it belongs to, 1 to 255 bytes in UTF-8
     * @param key its key in the map
     * @return the counter
     * @throws IllegalArgumentException if the name has another length
     */
    default AtomicCounter atomicCounter(String map, Key key) {
        return new AtomicCounter(this, map, key);
    }

    /**
     * Returns a lock for one holder at a time, which needs no creation. Keep it: it remembers which holder it has seen.
     *
     * @param map the name of the atomic map that it belongs to, 1 to 255 bytes in UTF-8
     * @param key its key in the map
     * @return the lock
     * @throws IllegalArgumentException if the name or the key is too long, or the name empty
     * @throws InvalidRequestException by default, since this cluster has no locks
     */
    default DhtLock lock(String map, Key key) {
        throw new InvalidRequestException(ErrorCode.BAD_REQUEST, this + " has no locks");
    }

    /**
     * Returns the partition of a key, and the nodes that receive its writes. A node computes them locally.
     *
     * @param key any key
     * @return a stage that completes with the partition and its nodes
     */
    CompletionStage<KeyPlacement> locate(Key key);

    /**
     * Returns the nodes of the cluster.
     *
     * @return the topology in use by this node
     */
    Topology topology();

    /**
     * Returns the policy of calls that set none.
     *
     * @return a majority of the replication factor
     */
    ReplicationPolicy defaultPolicy();

    /**
     * Returns the operations of the node that coordinates the calls: its status and its repair.
     *
     * @return the operations of this node; those of a remote client call the first node that answers
     */
    NodeOperations operations();

    /**
     * Reports when this node can serve its share: reads of every partition, with the default policy, have been answered
     * and not refused. A node that has started accepts calls at once, but after a start of all nodes the others may not
     * be reachable yet, or may still compare what they have purged.
     *
     * <p>The node asks again until it succeeds, so the stage stays incomplete as long as too few nodes are there: the
     * caller bounds its wait. Once complete it stays complete, whatever happens later; {@link NodeOperations#status()}
     * shows that.
     *
     * @return a stage that completes on any thread; fails with {@link ErrorCode#NOT_SERVING} if this cluster is closed
     *     before or {@linkplain #failure() can no longer serve}; by default it is complete
     */
    default CompletionStage<Void> ready() {
        return CompletableFuture.completedFuture(null);
    }

    /**
     * Returns the nodes of the cluster as they change, and changes them.
     *
     * @return the membership; by default that of a static cluster, whose nodes are fixed
     */
    default ClusterMembership membership() {
        return FixedMembership.INSTANCE;
    }

    /**
     * Refuses new calls, waits for running calls (at most the cluster's drain timeout), then closes the transport and
     * the store. Blocks. Later calls fail with {@link ErrorCode#NOT_SERVING}. May be called repeatedly.
     *
     * @throws IllegalStateException if an action of a stage, an observer or a listener calls this on a thread of this
     *     library, which must not block; nothing is closed then
     */
    @Override
    void close();

    /**
     * Reads a key with default options.
     *
     * @param key the key
     * @return as {@link #get(Key, CallOptions)}
     */
    default CompletionStage<Optional<Value>> get(Key key) {
        return get(key, CallOptions.defaults());
    }

    /**
     * Reports that this node can no longer serve although it was not closed, for example after its transport has failed
     * or it {@linkplain ClusterMembership#isRemoved() was removed}. The node then refuses all calls and should be
     * closed, on another thread than that of the stage: with {@code thenAcceptAsync}, for example.
     *
     * @return a stage that completes with the reason, one line for people, on any thread; by default it never completes
     */
    default CompletionStage<String> failure() {
        return new CompletableFuture<>();
    }

    /**
     * Writes a key with default options.
     *
     * @param key the key
     * @param value its value
     * @return as {@link #put(Key, byte[], CallOptions)}
     */
    default CompletionStage<Version> put(Key key, byte[] value) {
        return put(key, value, CallOptions.defaults());
    }

    /**
     * Deletes a key with default options.
     *
     * @param key the key
     * @return as {@link #delete(Key, CallOptions)}
     */
    default CompletionStage<Version> delete(Key key) {
        return delete(key, CallOptions.defaults());
    }

    /**
     * Reads several keys with default options.
     *
     * @param keys the keys
     * @return as {@link #getAll(Collection, CallOptions)}
     */
    default CompletionStage<Map<Key, Value>> getAll(Collection<Key> keys) {
        return getAll(keys, CallOptions.defaults());
    }

    /**
     * Writes several keys with default options.
     *
     * @param values keys and values
     * @return as {@link #putAll(Map, CallOptions)}
     */
    default CompletionStage<Version> putAll(Map<Key, byte[]> values) {
        return putAll(values, CallOptions.defaults());
    }

    /**
     * Scans the whole cluster with default options.
     *
     * @param range the keys to show
     * @return as {@link #scan(KeyRange, ScanScope, CallOptions)}
     */
    default Scan scan(KeyRange range) {
        return scan(range, ScanScope.CLUSTER, CallOptions.defaults());
    }
}
