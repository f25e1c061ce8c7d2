package io.dht4j.core.internal.membership.state;

import io.dht4j.NodeId;
import io.dht4j.PrintableText;
import io.dht4j.spi.PartitionTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The settings that are fixed when a cluster is formed, except the replication factor, which can be raised. A joining
 * node uses the settings of the cluster.
 *
 * @param partitions a power of two, 1 to {@link PartitionTable#MAX_PARTITIONS}
 * @param placement the name of the placement, 1 to {@value #MAX_NAME} printable characters
 * @param hash the name of the hash function, 1 to {@value #MAX_NAME} printable characters
 * @param hashKeyCheck a hash that reveals whether two nodes have the same hash key, but not the key
 * @param replicationFactor 1 to {@value #MAX_REPLICATION_FACTOR}; each row has as many slots; the last ones may be
 *     vacant
 * @param maxValueBytes the largest value, 0 or more bytes
 */
public record AgreedSettings(
        int partitions, String placement, String hash, long hashKeyCheck, int replicationFactor, int maxValueBytes) {

    /** The largest replication factor. It bounds the memory of the rows. */
    public static final int MAX_REPLICATION_FACTOR = PartitionTable.MAX_DEPTH;

    /** The name of the replication factor in {@link #values}. */
    public static final String REPLICATION_FACTOR = "replication factor";

    /** The maximum number of characters of a name. */
    public static final int MAX_NAME = 100;

    /**
     * Checks the settings.
     *
     * @throws IllegalArgumentException if one is out of range
     */
    public AgreedSettings {
        PartitionTable.requirePartitions(partitions);
        requireName("placement", placement);
        requireName("hash", hash);
        if (replicationFactor < 1 || replicationFactor > MAX_REPLICATION_FACTOR) {
            throw new IllegalArgumentException(
                    "replication factor must be 1 to " + MAX_REPLICATION_FACTOR + ", not " + replicationFactor);
        }
        if (maxValueBytes < 0) {
            throw new IllegalArgumentException("largest value must be 0 or more bytes, not " + maxValueBytes);
        }
    }

    private static void requireName(String setting, String name) {
        if (name.isEmpty()
                || name.length() > MAX_NAME
                || !PrintableText.of(name).equals(name)) {
            throw new IllegalArgumentException(setting + " must have a name of 1 to " + MAX_NAME
                    + " printable characters, not \"" + PrintableText.of(name, MAX_NAME) + "\"");
        }
    }

    /** Returns the settings with another replication factor. */
    public AgreedSettings withReplicationFactor(int replicas) {
        return new AgreedSettings(partitions, placement, hash, hashKeyCheck, replicas, maxValueBytes);
    }

    /** Returns the settings by name, in the order in which they are reported; unmodifiable. */
    public Map<String, String> values() {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("partitions", Integer.toString(partitions));
        values.put("placement", placement);
        values.put("hash", hash);
        values.put("check of the hash key", Long.toHexString(hashKeyCheck));
        values.put(REPLICATION_FACTOR, Integer.toString(replicationFactor));
        values.put("largest value", maxValueBytes + " bytes");
        return Collections.unmodifiableMap(values);
    }

    /**
     * Compares the settings of a node's start. A setting that the node leaves open never differs.
     *
     * @param claims some of the names of {@link #values}, with the node's values
     * @param node the node
     * @return both values of each setting that differs, for people, control characters escaped; empty if all agree
     */
    public String contradictions(Map<String, String> claims, NodeId node) {
        Map<String, String> agreed = values();
        List<String> differences = new ArrayList<>();
        claims.forEach((name, value) -> {
            String ours = agreed.getOrDefault(name, "unknown");
            if (!ours.equals(value)) {
                differences.add(PrintableText.of(name, MAX_NAME) + " is " + ours + " in the cluster, "
                        + PrintableText.of(value, MAX_NAME) + " at " + node);
            }
        });
        return String.join("; ", differences);
    }
}
