package io.dht4j.spi;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.MembershipChange;
import io.dht4j.MembershipStatus;
import io.dht4j.NodeId;
import io.dht4j.NodeStatus;
import io.dht4j.RebalancePlan;
import io.dht4j.RepairStatus;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.Version;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Client of a public API for processes that store nothing. Each call goes to one node. The client never repeats a
 * request: the caller decides which failures allow another node.
 *
 * <p>Each call takes the address of a node's API listener, {@code host:port}. Options always contain a timeout, by
 * which the stage completes. They may name a trace context, which goes to the node with every call of keys, scans and
 * snapshots. No method except {@link #close()} blocks or throws.
 *
 * <p>Failures are {@link DhtException}s. Failures reported by the node keep their code.
 * {@link io.dht4j.ErrorCode#NOT_SENT} means that no byte of the request can have reached the node;
 * {@link io.dht4j.ErrorCode#INTERNAL} that this is unknown. Calls cannot be cancelled. Safe for use by any number of
 * threads.
 */
public interface RemoteApi extends AutoCloseable {

    /**
     * Returns the API's name for the status.
     *
     * @return for example {@code http}
     */
    String name();

    /**
     * Reserves this client for a cluster, which closes it. Called first of all by a cluster that connects. Clients that
     * do not override this method accept several clusters.
     *
     * @throws IllegalStateException if a cluster has claimed it before
     */
    default void claim() {}

    /**
     * Sets what receives the address of a node that is about to stop, once for each answer that says so. Replaces the
     * listener that was set before. The node still serves; the caller prefers other nodes from then on.
     *
     * @param listener quick, neither blocks nor throws; called on any thread, before the stage of the call completes.
     *     By default it is never called
     */
    default void onStopping(Consumer<String> listener) {}

    /**
     * Reads a key.
     *
     * @param address the node to ask
     * @param key the key
     * @param options policy and timeout
     * @return a stage that completes with the value, or empty if there is none
     */
    CompletionStage<Optional<Value>> get(String address, Key key, CallOptions options);

    /**
     * Writes a key.
     *
     * @param address the node to ask
     * @param key the key
     * @param value its value, which must not be changed until the stage has completed
     * @param options policy, timeout and time to live
     * @return a stage that completes with the version of the write
     */
    CompletionStage<Version> put(String address, Key key, byte[] value, CallOptions options);

    /**
     * Deletes a key.
     *
     * @param address the node to ask
     * @param key the key
     * @param options policy and timeout
     * @return a stage that completes with the version of the delete
     */
    CompletionStage<Version> delete(String address, Key key, CallOptions options);

    /**
     * Reads several keys.
     *
     * @param address the node to ask
     * @param keys distinct keys
     * @param options policy and timeout
     * @return a stage that completes with the keys that are present and their values
     */
    CompletionStage<Map<Key, Value>> getAll(String address, Collection<Key> keys, CallOptions options);

    /**
     * Writes several keys with one version.
     *
     * @param address the node to ask
     * @param values keys and values, which must not be changed until the stage has completed
     * @param options policy, timeout and time to live
     * @return a stage that completes with the version of the writes
     */
    CompletionStage<Version> putAll(String address, Map<Key, byte[]> values, CallOptions options);

    /**
     * Reads the first entries of a range.
     *
     * @param address the node to ask
     * @param range the keys to show
     * @param scope the entries of the whole cluster or of the node
     * @param limit the largest number of entries to return, 1 or more
     * @param options policy and timeout
     * @return a stage that completes with entries in ascending order, fewer than {@code limit} if they are large; empty
     *     only if the range has none
     */
    CompletionStage<List<KeyValue>> scan(
            String address, KeyRange range, ScanScope scope, int limit, CallOptions options);

    /**
     * Opens a snapshot of the whole cluster.
     *
     * @param address the node to ask
     * @param lease how long the snapshot may stay unread, 1 second to 1 hour
     * @param options policy and timeout
     * @return a stage that completes with its version
     */
    CompletionStage<Version> openSnapshot(String address, Duration lease, CallOptions options);

    /**
     * Reads the first entries of a range from a snapshot.
     *
     * @param address the node to ask
     * @param snapshot the snapshot's version
     * @param range the keys to show
     * @param limit the largest number of entries to return, 1 or more
     * @param options policy and timeout
     * @return a stage that completes with entries in ascending order, fewer than {@code limit} if they are large; empty
     *     only if the range has none
     */
    CompletionStage<List<KeyValue>> scanSnapshot(
            String address, Version snapshot, KeyRange range, int limit, CallOptions options);

    /**
     * Closes a snapshot. Has no effect if the snapshot has ended.
     *
     * @param address the node to ask
     * @param snapshot the snapshot's version
     * @param options a timeout
     * @return a stage that completes when the nodes that answer have dropped the snapshot
     */
    CompletionStage<Void> closeSnapshot(String address, Version snapshot, CallOptions options);

    /**
     * Executes an operation on a key of an atomic map.
     *
     * @param address the node to ask
     * @param map the name of the map
     * @param key the key
     * @param change what to do; its array must not be changed until the stage has completed
     * @param options timeout and request id; without an id, the node makes one, and names it if the outcome is unknown
     * @return a stage that completes with the result
     */
    CompletionStage<AtomicResult> execute(
            String address, String map, Key key, AtomicChange change, CallOptions options);

    /**
     * Returns the partition and the replicas of a key.
     *
     * @param address the node to ask
     * @param key the key
     * @param options a timeout
     * @return a stage that completes with the partition and its replicas
     */
    CompletionStage<Located> locate(String address, Key key, CallOptions options);

    /**
     * Returns the status of a node.
     *
     * @param address the node to ask
     * @param options a timeout
     * @return a stage that completes with the status at one moment
     */
    CompletionStage<NodeStatus> status(String address, CallOptions options);

    /**
     * Starts a repair session at a node.
     *
     * @param address the node to ask
     * @param partitions the partitions to repair, or empty for all of which the node is a replica
     * @param options a timeout
     * @return a stage that completes with the status at the start
     */
    CompletionStage<RepairStatus> repair(String address, Set<Integer> partitions, CallOptions options);

    /**
     * Returns the progress of a node's repair.
     *
     * @param address the node to ask
     * @param options a timeout
     * @return a stage that completes with the status at one moment
     */
    CompletionStage<RepairStatus> repairStatus(String address, CallOptions options);

    /**
     * Returns the nodes of an agreed cluster, the moves under way and the metadata.
     *
     * @param address the node to ask
     * @param options a timeout
     * @return a stage that completes with the status at one moment
     */
    CompletionStage<MembershipStatus> membership(String address, CallOptions options);

    /**
     * Returns what a rebalance would move.
     *
     * @param address the node to ask
     * @param options a timeout
     * @return a stage that completes with the plan
     */
    CompletionStage<RebalancePlan> plan(String address, CallOptions options);

    /**
     * Changes the nodes of an agreed cluster.
     *
     * @param address the node to ask
     * @param change the change
     * @param options a timeout
     * @return a stage that completes with the epoch of the change
     */
    CompletionStage<Long> change(String address, MembershipChange change, CallOptions options);

    /**
     * Fails all running calls, and releases sockets and threads. Later calls fail with
     * {@link io.dht4j.ErrorCode#NOT_SERVING}. Blocks for a bounded time. May be called repeatedly.
     */
    @Override
    void close();

    /**
     * Returns whether this client is closed, so that no node is to blame for a refusal.
     *
     * @return whether {@link #close()} was called
     */
    boolean isClosed();

    /**
     * The partition and the replicas of a key.
     *
     * @param partition the key's partition, 0 or more
     * @param replicas all nodes in the replica order of the key
     */
    record Located(int partition, List<NodeId> replicas) {

        /** Copies the list. */
        public Located {
            replicas = List.copyOf(replicas);
        }
    }
}
