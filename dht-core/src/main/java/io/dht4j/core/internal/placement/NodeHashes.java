package io.dht4j.core.internal.placement;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import io.dht4j.Topology;

/** Hashes of node ids, used by placements: a node keeps its partitions when its address changes. */
final class NodeHashes {

    private static final Hasher64 HASHER = Hashing.xxh3_64();

    private NodeHashes() {}

    static long[] of(Topology topology) {
        return topology.nodes().stream()
                .mapToLong(node -> HASHER.hashCharsToLong(node.id().value()))
                .toArray();
    }

    static long combine(long hash, long other) {
        return HASHER.hashLongLongToLong(hash, other);
    }
}
