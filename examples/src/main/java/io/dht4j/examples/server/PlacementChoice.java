package io.dht4j.examples.server;

import io.dht4j.core.HashFunctions;
import io.dht4j.core.Placements;
import io.dht4j.spi.HashFunction;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Placement;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Where keys live. The same on every node.
 *
 * @param strategy which nodes hold which partitions
 * @param hash how keys are hashed
 * @param hashKey the key of the keyed hash as 32 hexadecimal digits; present if and only if the hash needs it
 * @param partitions a power of two
 * @param replicationFactor 1 to the number of nodes; empty for the cluster's default
 */
public record PlacementChoice(
        Strategy strategy, Hash hash, Optional<String> hashKey, int partitions, OptionalInt replicationFactor) {

    /** The most partitions. */
    static final int MOST = PartitionTable.MAX_PARTITIONS;

    /** Placement strategies. */
    public enum Strategy {
        /** Consistent-hash ring with virtual nodes. */
        RING,
        /** Weighted rendezvous hashing. */
        RENDEZVOUS,
        /** Jump consistent hashing. */
        JUMP,
        /** The partition's number modulo the number of nodes. */
        MODULO
    }

    /** Hash functions. */
    public enum Hash {
        /** XXH3, 64 bits. */
        XXH3,
        /** Murmur3. */
        MURMUR3,
        /** SipHash with a secret key. */
        SIPHASH,
        /** {@code String.hashCode}, the control. */
        STRING
    }

    static PlacementChoice of(Given given, int nodes) throws ConfigException {
        Hash hash = given.choice(Setting.HASH, Hash.class);
        int partitions = given.number(Setting.PARTITIONS, 1, MOST);
        if (Integer.bitCount(partitions) != 1) {
            throw new ConfigException(Setting.PARTITIONS.option() + " must be a power of two, not " + partitions);
        }
        OptionalInt replicationFactor = given.has(Setting.REPLICATION_FACTOR)
                ? OptionalInt.of(given.number(Setting.REPLICATION_FACTOR, 1, nodes))
                : OptionalInt.empty();
        return new PlacementChoice(
                given.choice(Setting.PLACEMENT, Strategy.class),
                hash,
                hashKey(given, hash),
                partitions,
                replicationFactor);
    }

    private static Optional<String> hashKey(Given given, Hash hash) throws ConfigException {
        if (hash != Hash.SIPHASH) {
            given.refuse(Setting.HASH_KEY, "without " + Setting.HASH.option() + " siphash");
            return Optional.empty();
        }
        Optional<String> key = given.find(Setting.HASH_KEY, text -> text);
        if (key.isEmpty()) {
            throw new ConfigException(Setting.HASH.option() + " siphash needs " + Setting.HASH_KEY.option()
                    + ": 32 hexadecimal digits, the same on every node");
        }
        if (!key.get().matches("[0-9A-Fa-f]{32}")) {
            // The key is a secret: it must not turn up in a message.
            throw new ConfigException(Setting.HASH_KEY.option() + " must be 32 hexadecimal digits");
        }
        return key;
    }

    /** The strategy itself. */
    Placement placement() {
        return switch (strategy) {
            case RING -> Placements.ring();
            case RENDEZVOUS -> Placements.rendezvous();
            case JUMP -> Placements.jump();
            case MODULO -> Placements.modulo();
        };
    }

    /** The hash function itself. */
    HashFunction function() {
        return switch (hash) {
            case XXH3 -> HashFunctions.xxh3();
            case MURMUR3 -> HashFunctions.murmur3();
            case SIPHASH -> HashFunctions.sipHash(HexFormat.of().parseHex(hashKey.orElseThrow()));
            case STRING -> HashFunctions.stringHashCode();
        };
    }

    /** Without the key, which is secret. */
    @Override
    public String toString() {
        return "PlacementChoice[" + Given.nameOf(strategy) + ", " + Given.nameOf(hash) + ", " + partitions
                + " partitions]";
    }
}
