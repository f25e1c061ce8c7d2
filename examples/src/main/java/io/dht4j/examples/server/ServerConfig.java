package io.dht4j.examples.server;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.ReadFanOut;
import io.dht4j.Topology;
import io.dht4j.spi.PartitionTable;
import io.dht4j.store.mvstore.Durability;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.stream.Collectors;

/**
 * How a server is set up. Immutable. {@link #of} makes it from texts and checks them; whether the machine can do what it
 * says (a free port, a writable directory), {@link ServerNode#start} finds out.
 *
 * @param id this node's name
 * @param listen where the public API listens
 * @param topology every node with its peer address
 * @param data directory of the store's files; not used by the memory store
 * @param transport the protocol between the nodes
 * @param placement which nodes hold which keys
 * @param hash how keys are hashed
 * @param hashKey the key of the keyed hash as 32 hexadecimal digits; present if and only if the hash needs it
 * @param partitions a power of two
 * @param store what keeps the entries
 * @param durability what an acknowledged write survives
 * @param replicationFactor 1 to the number of nodes; empty for the cluster's default
 * @param reads which replicas a read asks
 * @param timeout how long a request may take
 * @param maxValueBytes the largest value
 */
public record ServerConfig(
        NodeId id,
        HostPort listen,
        Topology topology,
        Path data,
        TransportName transport,
        PlacementName placement,
        HashName hash,
        Optional<String> hashKey,
        int partitions,
        StoreName store,
        Durability durability,
        OptionalInt replicationFactor,
        ReadFanOut reads,
        Duration timeout,
        int maxValueBytes) {

    /** The longest timeout in milliseconds. */
    private static final long MAX_TIMEOUT_MILLIS = 3_600_000;

    /** The largest value that may be configured: 512 MiB, for a frame holds it and more. */
    private static final int MAX_VALUE_BYTES = 512 << 20;

    /** Protocols between the nodes. */
    public enum TransportName {
        /** HTTP. */
        HTTP
    }

    /** Placement strategies. */
    public enum PlacementName {
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
    public enum HashName {
        /** XXH3, 64 bits. */
        XXH3,
        /** Murmur3. */
        MURMUR3,
        /** SipHash with a secret key. */
        SIPHASH,
        /** {@code String.hashCode}, the control. */
        STRING
    }

    /** Stores. */
    public enum StoreName {
        /** On disk. */
        MVSTORE,
        /** In memory, gone when the process ends. */
        MEMORY
    }

    /**
     * Reads settings from a properties file in UTF-8.
     *
     * @param file the file
     * @return what it sets
     * @throws ConfigException if it cannot be read or holds a name that is no setting
     */
    public static Map<Setting, String> read(Path file) throws ConfigException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (NoSuchFileException e) {
            throw new ConfigException("--config: there is no file " + file);
        } catch (IOException | IllegalArgumentException e) {
            throw new ConfigException("--config: cannot read " + file + ": " + e.getMessage());
        }
        Map<Setting, String> settings = new EnumMap<>(Setting.class);
        for (String name : properties.stringPropertyNames()) {
            Setting setting = Setting.byPropertyName(name)
                    .orElseThrow(() -> new ConfigException("--config: " + file + ": unknown name \"" + name
                            + "\"; the names are "
                            + Arrays.stream(Setting.values())
                                    .map(Setting::propertyName)
                                    .collect(Collectors.joining(", "))));
            settings.put(setting, properties.getProperty(name).strip());
        }
        return settings;
    }

    /**
     * Makes a configuration; what is not set gets its default.
     *
     * @param settings texts as they were given
     * @return the configuration
     * @throws ConfigException if a text is malformed or out of range
     */
    public static ServerConfig of(Map<Setting, String> settings) throws ConfigException {
        NodeId id = parsed(settings, Setting.ID, "n1", NodeId::new);
        HostPort listen = parsed(settings, Setting.LISTEN, "127.0.0.1:8080", HostPort::parse);
        Topology topology = parsed(settings, Setting.PEERS, id + "=" + listen, text -> new Topology(1, peers(text)));
        Path data = parsed(settings, Setting.DATA, "dht-data/" + id, ServerConfig::path);
        HashName hash = choice(settings, Setting.HASH, HashName.XXH3);
        OptionalInt replicationFactor = settings.containsKey(Setting.REPLICATION_FACTOR)
                ? OptionalInt.of((int) number(settings, Setting.REPLICATION_FACTOR, 0, 1, topology.size()))
                : OptionalInt.empty();
        int partitions = (int) number(settings, Setting.PARTITIONS, 1024, 1, PartitionTable.MAX_PARTITIONS);
        if (Integer.bitCount(partitions) != 1) {
            throw new ConfigException(Setting.PARTITIONS.option() + " must be a power of two, not " + partitions);
        }
        return new ServerConfig(
                id,
                listen,
                topology,
                data,
                choice(settings, Setting.TRANSPORT, TransportName.HTTP),
                choice(settings, Setting.PLACEMENT, PlacementName.RENDEZVOUS),
                hash,
                hashKey(settings, hash),
                partitions,
                choice(settings, Setting.STORE, StoreName.MVSTORE),
                choice(settings, Setting.DURABILITY, Durability.OS),
                replicationFactor,
                choice(settings, Setting.READS, ReadFanOut.ENOUGH),
                Duration.ofMillis(number(settings, Setting.TIMEOUT, 5000, 1, MAX_TIMEOUT_MILLIS)),
                (int) number(settings, Setting.MAX_VALUE_BYTES, 16 << 20, 1, MAX_VALUE_BYTES));
    }

    /**
     * This node's entry among the peers.
     *
     * @return the node, or empty if the peers do not name it
     */
    public Optional<Node> self() {
        return topology.node(id);
    }

    private static List<Node> peers(String text) {
        List<Node> nodes = new ArrayList<>();
        for (String entry : text.split(",", -1)) {
            int equals = entry.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException(
                        "expected ID=HOST:PORT entries with commas between, not \"" + entry + "\"");
            }
            nodes.add(Node.of(
                    entry.substring(0, equals).strip(),
                    HostPort.parse(entry.substring(equals + 1).strip()).toString()));
        }
        return nodes;
    }

    private static Path path(String text) {
        try {
            if (text.isEmpty()) {
                throw new IllegalArgumentException("the directory is missing");
            }
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static Optional<String> hashKey(Map<Setting, String> settings, HashName hash) throws ConfigException {
        String key = settings.get(Setting.HASH_KEY);
        if (hash != HashName.SIPHASH) {
            if (key != null) {
                throw new ConfigException(Setting.HASH_KEY.option() + " is for " + Setting.HASH.option()
                        + " siphash only; the hash is " + hash.name().toLowerCase(Locale.ROOT));
            }
            return Optional.empty();
        }
        if (key == null) {
            throw new ConfigException(Setting.HASH.option() + " siphash needs " + Setting.HASH_KEY.option()
                    + ": 32 hexadecimal digits, the same on every node");
        }
        if (!key.matches("[0-9A-Fa-f]{32}")) {
            // The key is a secret: it must not turn up in a message.
            throw new ConfigException(Setting.HASH_KEY.option() + " must be 32 hexadecimal digits");
        }
        return Optional.of(key);
    }

    private static <T> T parsed(Map<Setting, String> settings, Setting setting, String fallback, Parser<T> parser)
            throws ConfigException {
        try {
            return parser.parse(settings.getOrDefault(setting, fallback));
        } catch (IllegalArgumentException e) {
            throw new ConfigException(setting.option() + ": " + e.getMessage());
        }
    }

    private static <E extends Enum<E>> E choice(Map<Setting, String> settings, Setting setting, E fallback)
            throws ConfigException {
        String text = settings.get(setting);
        if (text == null) {
            return fallback;
        }
        List<String> names = new ArrayList<>();
        for (E value : fallback.getDeclaringClass().getEnumConstants()) {
            String name = value.name().toLowerCase(Locale.ROOT);
            if (name.equals(text)) {
                return value;
            }
            names.add(name);
        }
        throw new ConfigException(
                setting.option() + " must be " + String.join(" or ", names) + ", not \"" + text + "\"");
    }

    private static long number(Map<Setting, String> settings, Setting setting, long fallback, long min, long max)
            throws ConfigException {
        String text = settings.get(setting);
        if (text == null) {
            return fallback;
        }
        try {
            long number = Long.parseLong(text);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Not a number at all: the same message, which names the range.
        }
        throw new ConfigException(
                setting.option() + " must be a whole number from " + min + " to " + max + ", not \"" + text + "\"");
    }

    @FunctionalInterface
    private interface Parser<T> {
        T parse(String text);
    }
}
