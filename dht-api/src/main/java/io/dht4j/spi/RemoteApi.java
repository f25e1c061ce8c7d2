package io.dht4j.spi;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.NodeId;
import io.dht4j.NodeStatus;
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

/**
 * Speaks a public API to one node at a time, for a process that stores nothing. It does not repeat a request by itself:
 * which failure may be answered by asking another node is its caller's decision.
 *
 * <p>Each call takes the address of the node to ask, in the form that the API's listener has, {@code host:port}.
 * Options always name a timeout, by which the stage completes. No method but {@link #close()} blocks or throws;
 * failures are {@link DhtException}s: those that the node gave, with their code; {@link io.dht4j.ErrorCode#NOT_SENT}
 * only if no byte of the request can have reached the node; {@link io.dht4j.ErrorCode#INTERNAL} if that is not known.
 * Cancelling is not possible. Safe for use by any number of threads.
 */
public interface RemoteApi extends AutoCloseable {

    /**
     * The API's name, as status shows it.
     *
     * @return for example {@code http}
     */
    String name();

    /**
     * Reads a key.
     *
     * @param address the node to ask
     * @param key the key
     * @param options policy and timeout
     * @return completes with the value, or empty if there is none
     */
    CompletionStage<Optional<Value>> get(String address, Key key, CallOptions options);

    /**
     * Writes a key.
     *
     * @param address the node to ask
     * @param key the key
     * @param value its value, not changed by anyone until the stage has completed
     * @param options policy, timeout and time to live
     * @return completes with the version of the write
     */
    CompletionStage<Version> put(String address, Key key, byte[] value, CallOptions options);

    /**
     * Deletes a key.
     *
     * @param address the node to ask
     * @param key the key
     * @param options policy and timeout
     * @return completes with the version of the delete
     */
    CompletionStage<Version> delete(String address, Key key, CallOptions options);

    /**
     * Reads several keys.
     *
     * @param address the node to ask
     * @param keys distinct keys
     * @param options policy and timeout
     * @return completes with those that are present
     */
    CompletionStage<Map<Key, Value>> getAll(String address, Collection<Key> keys, CallOptions options);

    /**
     * Writes several keys with one version.
     *
     * @param address the node to ask
     * @param values keys and values, not changed by anyone until the stage has completed
     * @param options policy, timeout and time to live
     * @return completes with the version of the writes
     */
    CompletionStage<Version> putAll(String address, Map<Key, byte[]> values, CallOptions options);

    /**
     * Reads the first entries of a range.
     *
     * @param address the node to ask
     * @param range the keys to show
     * @param scope the whole cluster's entries or the node's own
     * @param limit the most entries to bring, 1 or more
     * @param options policy and timeout
     * @return completes with entries in ascending order, fewer than {@code limit} if they are large; empty only if the
     *     range has none
     */
    CompletionStage<List<KeyValue>> scan(
            String address, KeyRange range, ScanScope scope, int limit, CallOptions options);

    /**
     * Begins a snapshot of the whole cluster.
     *
     * @param address the node to ask
     * @param lease how long it may be left alone, 1 second to 1 hour
     * @param options policy and timeout
     * @return completes with its version
     */
    CompletionStage<Version> openSnapshot(String address, Duration lease, CallOptions options);

    /**
     * Reads the first entries of a range, as a snapshot has them.
     *
     * @param address the node to ask
     * @param snapshot the snapshot's version
     * @param range the keys to show
     * @param limit the most entries to bring, 1 or more
     * @param options policy and timeout
     * @return completes with entries in ascending order, fewer than {@code limit} if they are large; empty only if the
     *     range has none
     */
    CompletionStage<List<KeyValue>> scanSnapshot(
            String address, Version snapshot, KeyRange range, int limit, CallOptions options);

    /**
     * Ends a snapshot, open or not.
     *
     * @param address the node to ask
     * @param snapshot the snapshot's version
     * @param options a timeout
     * @return completes when the nodes that answer have forgotten it
     */
    CompletionStage<Void> closeSnapshot(String address, Version snapshot, CallOptions options);

    /**
     * Where a key lives.
     *
     * @param address the node to ask
     * @param key the key
     * @param options a timeout
     * @return completes with its partition and replicas
     */
    CompletionStage<Located> locate(String address, Key key, CallOptions options);

    /**
     * What a node says of itself.
     *
     * @param address the node to ask
     * @param options a timeout
     * @return completes with a snapshot
     */
    CompletionStage<NodeStatus> status(String address, CallOptions options);

    /**
     * Begins a repair at a node.
     *
     * @param address the node to ask
     * @param partitions which ones, or empty for all that it is a replica of
     * @param options a timeout
     * @return completes with the state at the beginning
     */
    CompletionStage<RepairStatus> repair(String address, Set<Integer> partitions, CallOptions options);

    /**
     * How far a node is with repair.
     *
     * @param address the node to ask
     * @param options a timeout
     * @return completes with a snapshot
     */
    CompletionStage<RepairStatus> repairStatus(String address, CallOptions options);

    /**
     * Fails calls under way, each of them, and releases sockets and threads. Blocks, for a bounded time. May be called
     * repeatedly.
     */
    @Override
    void close();

    /**
     * Where a key lives.
     *
     * @param partition the key's partition, 0 or more
     * @param replicas every node in the order in which it is a replica of the key
     */
    record Located(int partition, List<NodeId> replicas) {

        /** Copies the list. */
        public Located {
            replicas = List.copyOf(replicas);
        }
    }
}
