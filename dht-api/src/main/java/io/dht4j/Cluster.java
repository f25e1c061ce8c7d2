package io.dht4j;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A replicated key-value store, seen from one of its nodes or from a process that stores nothing. Safe for use by any
 * number of threads. No method but {@link #close()} blocks; each returned stage completes by the call's deadline, on
 * whichever thread brings the outcome, so what is chained to it must not block either. Failures are
 * {@link DhtException}s; their subtype tells what the caller may do. A call never throws them: they come through the
 * stage.
 *
 * <p>Arrays that are handed in are copied before a method returns.
 */
public interface Cluster extends AutoCloseable {

    /**
     * Reads a key.
     *
     * @param key the key
     * @param options policy and timeout; a time to live is refused
     * @return completes with the newest value among the replicas that answered, or empty if the key is absent, deleted
     *     or expired
     */
    CompletionStage<Optional<Value>> get(Key key, CallOptions options);

    /**
     * Writes a key, replacing any older value. When the stage completes normally, {@code ack} replicas hold the value,
     * durable as their stores are configured.
     *
     * @param key the key
     * @param value 0 bytes up to the cluster's largest value
     * @param options policy, timeout and time to live
     * @return completes with the version that was given to the write
     */
    CompletionStage<Version> put(Key key, byte[] value, CallOptions options);

    /**
     * Deletes a key, absent or not, by writing a tombstone. When the stage completes normally, {@code ack} replicas
     * hold it, durable as their stores are configured.
     *
     * @param key the key
     * @param options policy and timeout; a time to live is refused
     * @return completes with the version that was given to the delete
     */
    CompletionStage<Version> delete(Key key, CallOptions options);

    /**
     * Reads several keys with one message to each node concerned. Not a snapshot: each key is read for itself.
     *
     * @param keys the keys, in number up to the cluster's largest batch; doubled ones count once
     * @param options policy and timeout; a time to live is refused
     * @return completes with the keys that are present and their values; fails if any one of them cannot be read
     */
    CompletionStage<Map<Key, Value>> getAll(Collection<Key> keys, CallOptions options);

    /**
     * Writes several keys with one message to each node concerned, all with one version. Not a transaction: if it
     * fails, some of the keys may have been written.
     *
     * @param values keys and values, in number up to the cluster's largest batch
     * @param options policy, timeout and time to live
     * @return completes with the version that was given to all when every key was written
     */
    CompletionStage<Version> putAll(Map<Key, byte[]> values, CallOptions options);

    /**
     * Starts a scan. Nothing is read before the first page is asked for.
     *
     * @param range the keys to show
     * @param scope the whole cluster's entries or this node's own
     * @param options policy and timeout, the timeout for each page; a time to live is refused. The policy counts for
     *     the scope {@link ScanScope#CLUSTER} only
     * @return the scan; an invalid option fails its first page
     */
    Scan scan(KeyRange range, ScanScope scope, CallOptions options);

    /**
     * Begins a snapshot of the whole cluster: from now on {@link #scanSnapshot} shows the keys as they were at one
     * version, whatever is written meanwhile. When the stage completes, the version is newer than every write that was
     * acknowledged before the call; of the writes that the nodes acknowledge, the snapshot has those that are not newer
     * than its version, and no others. A write whose outcome is unknown may be in it or not.
     *
     * <p>The nodes keep in memory what is written until {@link #closeSnapshot}, or until nobody has read the snapshot
     * for the time of its lease. One that has too much to keep forgets the snapshot.
     *
     * @param lease how long the snapshot may be left alone, 1 second to 1 hour
     * @param options policy and timeout; a time to live is refused. Of the first {@code from} replicas of each
     *     partition {@code ack} must take part; more do if they answer
     * @return completes with the snapshot's version, by which any node knows it
     */
    CompletionStage<Version> openSnapshot(Duration lease, CallOptions options);

    /**
     * Starts a scan of a snapshot. Nothing is read before the first page is asked for. Each page renews the snapshot's
     * lease. Several scans may go on at a time.
     *
     * @param snapshot the version of an open snapshot
     * @param range the keys to show
     * @param options policy and timeout, the timeout for each page; a time to live is refused. All of the first
     *     {@code from} replicas that have the snapshot are read, and {@code ack} of them must bring it
     * @return the scan; its pages fail with {@link ErrorCode#SNAPSHOT_GONE} if the snapshot has ended
     */
    Scan scanSnapshot(Version snapshot, KeyRange range, CallOptions options);

    /**
     * Ends a snapshot, open or not.
     *
     * @param snapshot its version
     * @param options a timeout
     * @return completes when the nodes that answer have forgotten it; the others do when its lease runs out
     */
    CompletionStage<Void> closeSnapshot(Version snapshot, CallOptions options);

    /**
     * Where a key lives. A node computes it, without asking any other.
     *
     * @param key any key
     * @return completes with its partition and replicas
     */
    CompletionStage<KeyPlacement> locate(Key key);

    /**
     * The nodes of the cluster.
     *
     * @return the topology that this node uses now
     */
    Topology topology();

    /**
     * The policy of calls that name none.
     *
     * @return a majority of the replication factor
     */
    ReplicationPolicy defaultPolicy();

    /**
     * What this node says of itself.
     *
     * @return completes with a snapshot
     */
    CompletionStage<NodeStatus> status();

    /**
     * Compares this node's replicas with those of the other nodes, as soon as no other round of repair is under way,
     * and brings each to the newest entry of each key. Does not wait for that: ask for {@link #repairStatus()}.
     *
     * @param partitions which ones, or empty for all that this node is a replica of
     * @return completes with the state at the beginning; fails with {@link ErrorCode#BAD_REQUEST} if this node is no
     *     replica of one of them
     */
    CompletionStage<RepairStatus> repair(Set<Integer> partitions);

    /**
     * How far this node is with repair.
     *
     * @return completes with a snapshot
     */
    CompletionStage<RepairStatus> repairStatus();

    /**
     * Stops taking calls, waits until those under way have ended (at most as long as the cluster's drain timeout), then
     * closes the transport and the store. Blocks; must not be called from a stage's callback. Calls that arrive later
     * fail with {@link ErrorCode#NOT_SERVING}. May be called repeatedly.
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
     * Reports that this node can no longer serve although nobody has closed it, since its transport has failed for
     * example. It refuses all calls then, and should be closed.
     *
     * @return completes with the reason, one line for people, on any thread; by default never
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
