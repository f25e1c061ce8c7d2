package io.dht4j.server.config;

import io.dht4j.Ranges;
import io.dht4j.core.HashFunctions;
import io.dht4j.core.Placements;
import io.dht4j.spi.FileFailure;
import io.dht4j.spi.HashFunction;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Placement;
import io.dht4j.spi.TextFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The placement of keys. It must be the same on every node.
 *
 * @param strategy which nodes hold which partitions
 * @param hash how keys are hashed
 * @param hashKey the key of the keyed hash as 32 hexadecimal digits; present if and only if the hash needs it
 * @param hashKeyFile where the key was read; empty if it was given itself
 * @param partitions a power of two
 * @param replicationFactor 1 to the number of nodes; empty for the cluster's default
 */
public record PlacementChoice(
        Strategy strategy,
        Hash hash,
        Optional<String> hashKey,
        Optional<Path> hashKeyFile,
        int partitions,
        OptionalInt replicationFactor) {

    private static final int KEY_DIGITS = 32;
    /** The largest file of a hash key: the digits with some white space around them. */
    private static final int MOST_KEY_FILE_BYTES = 256;

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
        /** {@code String.hashCode}, as a baseline. */
        STRING
    }

    static PlacementChoice of(SettingsReader given, int nodes) throws ConfigException {
        Hash hash = given.choice(Setting.HASH, Hash.class);
        int partitions = given.number(Setting.PARTITIONS);
        if (Integer.bitCount(partitions) != 1) {
            throw new ConfigException(Setting.PARTITIONS.option() + " must be a power of two, not " + partitions);
        }
        OptionalInt replicationFactor = given.has(Setting.REPLICATION_FACTOR)
                ? OptionalInt.of(given.number(
                        Setting.REPLICATION_FACTOR, new Setting.Range(1, Math.max(nodes, PartitionTable.MAX_DEPTH))))
                : OptionalInt.empty();
        if (replicationFactor.isPresent()) {
            try {
                Ranges.requireReplicas(Setting.REPLICATION_FACTOR.option(), replicationFactor.getAsInt(), nodes);
            } catch (IllegalArgumentException e) {
                throw new ConfigException(String.valueOf(e.getMessage()));
            }
        }
        return new PlacementChoice(
                given.choice(Setting.PLACEMENT, Strategy.class),
                hash,
                hashKey(given, hash),
                given.find(Setting.HASH_KEY_FILE, SettingsReader::path),
                partitions,
                replicationFactor);
    }

    private static Optional<String> hashKey(SettingsReader given, Hash hash) throws ConfigException {
        if (hash != Hash.SIPHASH) {
            String reason = "without " + Setting.HASH.option() + " siphash";
            given.refuse(Setting.HASH_KEY, reason);
            given.refuse(Setting.HASH_KEY_FILE, reason);
            return Optional.empty();
        }
        if (given.has(Setting.HASH_KEY)) {
            given.refuse(Setting.HASH_KEY_FILE, "with " + Setting.HASH_KEY.option());
            try {
                return given.find(Setting.HASH_KEY, text -> text).map(PlacementChoice::digits);
            } catch (IllegalArgumentException e) {
                throw new ConfigException(Setting.HASH_KEY.option() + " " + e.getMessage());
            }
        }
        if (given.has(Setting.HASH_KEY_FILE)) {
            return Optional.of(digitsIn(given.readOr(Setting.HASH_KEY_FILE, "", SettingsReader::path)));
        }
        throw new ConfigException(Setting.HASH.option() + " siphash needs " + Setting.HASH_KEY_FILE.option() + " or "
                + Setting.HASH_KEY.option() + ": 32 hexadecimal digits, the same on every node");
    }

    private static String digitsIn(Path file) throws ConfigException {
        String option = Setting.HASH_KEY_FILE.option() + ": ";
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = TextFiles.withoutMark(in.readNBytes(MOST_KEY_FILE_BYTES + 1));
            if (bytes.length > MOST_KEY_FILE_BYTES) {
                throw new IllegalArgumentException("must be " + KEY_DIGITS + " hexadecimal digits");
            }
            return digits(new String(bytes, StandardCharsets.ISO_8859_1).strip());
        } catch (NoSuchFileException e) {
            throw new ConfigException(option + "there is no file " + file);
        } catch (AccessDeniedException e) {
            throw new ConfigException(option + "no permission for " + file);
        } catch (IOException e) {
            throw new ConfigException(option + "cannot read " + file + ": " + FileFailure.inWords(e));
        } catch (IllegalArgumentException e) {
            throw new ConfigException(option + file + " " + e.getMessage() + " and nothing else");
        }
    }

    /** Checks the key without showing it in a message, because it is secret. */
    private static String digits(String text) {
        if (!text.matches("[0-9A-Fa-f]{" + KEY_DIGITS + "}")) {
            throw new IllegalArgumentException("must be " + KEY_DIGITS + " hexadecimal digits");
        }
        return text;
    }

    /** Returns the strategy itself. */
    public Placement placement() {
        return switch (strategy) {
            case RING -> Placements.ring();
            case RENDEZVOUS -> Placements.rendezvous();
            case JUMP -> Placements.jump();
            case MODULO -> Placements.modulo();
        };
    }

    /** Returns the hash function itself. */
    public HashFunction function() {
        return switch (hash) {
            case XXH3 -> HashFunctions.xxh3();
            case MURMUR3 -> HashFunctions.murmur3();
            case SIPHASH -> HashFunctions.sipHash(HexFormat.of().parseHex(hashKey.orElseThrow()));
            case STRING -> HashFunctions.stringHashCode();
        };
    }

    /** Returns a text without the key, which is secret. */
    @Override
    public String toString() {
        return "PlacementChoice[" + SettingsReader.nameOf(strategy) + ", " + SettingsReader.nameOf(hash) + ", "
                + partitions + " partitions]";
    }
}
