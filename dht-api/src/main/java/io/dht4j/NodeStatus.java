package io.dht4j;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The status of a node, as it reports it itself.
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
 *     estimate while writes go on; -1 if the store cannot tell
 * @param entriesAge for how long a newer number has been due: since the store was asked for one that it has not
 *     returned yet. Zero if the number is of now; more if the store is so busy, or stands so still, that it does not
 *     answer at once. The number is older still if none had been requested before
 * @param hintBytes how much it keeps of writes that nodes missed, itself among them, in bytes
 * @param hintBytesDropped how much of that it has dropped since it was started, for want of room, because it became too
 *     old or because its file was damaged
 * @param overload what it has left undone since it was started so as not to be overwhelmed
 * @param storeProblems what its store cannot do; empty if all is well
 * @param refill what it must still get from other nodes before it is read
 * @param suspected the other nodes that do not answer it as far as its own calls tell, in the order of the topology;
 *     one that nothing was asked of lately is not among them
 * @param disagreeing the other nodes that take no requests of it, or whose address belongs to another node: their
 *     settings or lists of nodes differ from its own, as far as it has asked them. In the order of the topology; the
 *     log says what differs
 * @param clockProblem how its clock contradicts those of others, so that it takes no writes; empty if it does not, as
 *     far as it knows
 * @param uptime how long it has been running
 * @param publicAddresses where clients reach the public APIs of the nodes that have told it, each of the form
 *     {@code http://host:port} or {@code grpc://host:port}; empty in a static cluster
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
        Duration entriesAge,
        long hintBytes,
        long hintBytesDropped,
        OverloadCounts overload,
        List<StoreProblem> storeProblems,
        RefillStatus refill,
        List<NodeId> suspected,
        List<NodeId> disagreeing,
        Optional<ClockProblem> clockProblem,
        Duration uptime,
        Map<NodeId, List<String>> publicAddresses) {

    /** Keeps copies of the lists and the map. */
    public NodeStatus {
        storeProblems = List.copyOf(storeProblems);
        suspected = List.copyOf(suspected);
        disagreeing = List.copyOf(disagreeing);
        publicAddresses = Map.copyOf(publicAddresses);
    }

    /**
     * Returns this status with other public addresses.
     *
     * @param addresses see {@link #publicAddresses}
     * @return a copy
     */
    public NodeStatus withPublicAddresses(Map<NodeId, List<String>> addresses) {
        return new NodeStatus(
                id,
                topology,
                replicationFactor,
                partitions,
                placement,
                hash,
                transport,
                store,
                version,
                entries,
                entriesAge,
                hintBytes,
                hintBytesDropped,
                overload,
                storeProblems,
                refill,
                suspected,
                disagreeing,
                clockProblem,
                uptime,
                addresses);
    }
}
