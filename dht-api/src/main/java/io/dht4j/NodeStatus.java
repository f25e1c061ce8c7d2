package io.dht4j;

import java.time.Duration;

/**
 * What a node says of itself.
 *
 * @param id its name
 * @param topology the nodes it knows, and their epoch
 * @param replicationFactor how many replicas a key has by default
 * @param partitions how many partitions the cluster has
 * @param placement the placement strategy's name
 * @param hash the hash function's name
 * @param transport the transport's name
 * @param store the store's name
 * @param version the library's version
 * @param entries how many keys its store holds, tombstones and expired entries that were not yet purged included; an
 *     estimate while writes go on
 * @param hintBytes how much it keeps of writes that other nodes missed, in bytes
 * @param hintBytesDropped how much of that it has dropped since it was started, for want of room or because it became too old
 * @param overload what it has left undone since it was started so as not to be overwhelmed
 * @param uptime how long it has been running
 */
public record NodeStatus(
        NodeId id,
        Topology topology,
        int replicationFactor,
        int partitions,
        String placement,
        String hash,
        String transport,
        String store,
        String version,
        long entries,
        long hintBytes,
        long hintBytesDropped,
        OverloadCounts overload,
        Duration uptime) {}
