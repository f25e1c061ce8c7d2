package io.dht4j.examples.server;

import java.util.Locale;
import java.util.Optional;

/** What can be set for a server: an option of the command line, and a property of the same name in a file. */
public enum Setting {
    /** The node's name. */
    ID("NAME", "n1", "This node's name; must be one of the peers."),
    /** Where the public API listens. */
    LISTEN("HOST:PORT", "127.0.0.1:8080", "Where the public HTTP API listens."),
    /** Every node of the cluster. */
    PEERS(
            "ID=HOST:PORT,...",
            "this node alone, at its listen address",
            "Every node of the cluster with its peer address, this one included, in the same order on every node. "
                    + "This node's own entry may be the same as the listen address: then both share the port."),
    /** Where the store keeps its files. */
    DATA("DIR", "dht-data/ID", "Directory for the data; made if it is missing. The memory store has none."),
    /** The protocol between the nodes. */
    TRANSPORT("NAME", "http", "Protocol between the nodes: http."),
    /** Which node holds which keys. */
    PLACEMENT(
            "NAME",
            "rendezvous",
            "Which nodes hold which keys: ring, rendezvous, jump or modulo. The same on every node, as are hash, "
                    + "hash key, partitions and replication factor."),
    /** How keys are hashed. */
    HASH("NAME", "xxh3", "Hash of the keys: xxh3, murmur3, siphash (for keys that strangers choose) or string."),
    /** The key of a keyed hash. */
    HASH_KEY("HEX", "none", "Key of siphash: 32 hexadecimal digits, secret, the same on every node."),
    /** How many partitions the keys fall into. */
    PARTITIONS("N", "1024", "Number of partitions, a power of two from 1 to 1048576."),
    /** What keeps the entries. */
    STORE("NAME", "mvstore", "What keeps the entries: mvstore (on disk) or memory."),
    /** What an acknowledged write survives. */
    DURABILITY(
            "LEVEL",
            "os",
            "What an acknowledged write survives on its node: os (the end of the process) or fsync (loss of power)."),
    /** How many replicas a key has by default. */
    REPLICATION_FACTOR(
            "N", "3, or the number of nodes if less", "Number of replicas of a key where a request sets none."),
    /** Which replicas a read asks. */
    READS("POLICY", "enough", "Which replicas a read asks: enough (as many as must answer) or all."),
    /** How long a request may take. */
    TIMEOUT("MILLIS", "5000", "How long a request may take where it sets nothing, 1 to 3600000 milliseconds."),
    /** The largest value. */
    MAX_VALUE_BYTES("N", "16777216", "Largest value in bytes, 1 to 536870912. The same on every node.");

    private final String label;
    private final String fallback;
    private final String description;

    Setting(String label, String fallback, String description) {
        this.label = label;
        this.fallback = fallback;
        this.description = description;
    }

    /**
     * The name in a file.
     *
     * @return for example {@code replication-factor}
     */
    public String propertyName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * The name on the command line.
     *
     * @return for example {@code --replication-factor}
     */
    public String option() {
        return "--" + propertyName();
    }

    /**
     * What stands for the value in the help.
     *
     * @return for example {@code HOST:PORT}
     */
    public String label() {
        return label;
    }

    /**
     * What holds when it is not set, in words for the help.
     *
     * @return a value or a description
     */
    public String fallback() {
        return fallback;
    }

    /**
     * What the setting does, for the help.
     *
     * @return one or two sentences
     */
    public String description() {
        return description;
    }

    /**
     * Finds a setting by its name in a file.
     *
     * @param propertyName a name, for example {@code listen}
     * @return the setting, or empty if there is none of that name
     */
    public static Optional<Setting> byPropertyName(String propertyName) {
        for (Setting setting : values()) {
            if (setting.propertyName().equals(propertyName)) {
                return Optional.of(setting);
            }
        }
        return Optional.empty();
    }
}
