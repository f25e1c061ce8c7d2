package io.dht4j.server.config;

import io.dht4j.Node;
import io.dht4j.spi.PartitionTable;
import java.util.Locale;
import java.util.Optional;

/**
 * The settings of a server: each is an option of the command line, an environment variable, and a property of a file.
 * The default in the help is the text that is read when the setting is absent.
 */
public enum Setting {
    /** The node's name. */
    ID(SettingSection.CLUSTER, "NAME", Fallback.VALUE, "n1", "This node's name; must be one of the peers."),
    /** The address of the public HTTP API. */
    LISTEN(
            SettingSection.PUBLIC_APIS,
            "HOST:PORT",
            Fallback.VALUE,
            "127.0.0.1:8080",
            "Address of the public HTTP API."),
    /** The nodes of the cluster. */
    PEERS(
            SettingSection.CLUSTER,
            "ID=HOST:PORT,...",
            Fallback.WORDS,
            "this node alone, at its listen address",
            "Every node of the cluster with its peer address, this one included, in the same order on every node. "
                    + "With HTTP between the nodes this node's own entry may equal the listen address: then both "
                    + "share the port."),
    /** The nodes that form an agreed cluster. */
    BOOTSTRAP(
            SettingSection.MEMBERSHIP,
            "ID=HOST:PORT,...",
            Fallback.WORDS,
            "none, the nodes are fixed",
            "Forms a cluster whose nodes may change, in place of --peers: the first nodes with their peer addresses, "
                    + "this one included, in the same order on each of them, in empty data directories or on the "
                    + "data of a cluster of the same --peers. Later starts need it, whatever it lists."),
    /** The seeds of a node that joins an agreed cluster. */
    JOIN(
            SettingSection.MEMBERSHIP,
            "ID=HOST:PORT,...",
            Fallback.WORDS,
            "none, the nodes are fixed",
            "Joins a cluster, in place of --peers: some of its nodes with their peer addresses, or srv:NAME, "
                    + "dns:NAME:PORT or file:FILE to find them. Needs ./dht nodes add before, or a join token. Later "
                    + "starts need it, too."),
    /** The peer address of a node that joins. */
    PEER_ADDRESS(
            SettingSection.MEMBERSHIP,
            "HOST:PORT",
            Fallback.WORDS,
            "the listen address",
            "With --join, the address at which the other nodes reach this one. With HTTP between the nodes it may "
                    + "equal the listen address: then both share the port."),
    /** The zone of a node. */
    ZONE(
            SettingSection.MEMBERSHIP,
            "NAME",
            Fallback.WORDS,
            "none",
            "With --bootstrap or --join, this node's zone, such as a rack or a data centre: the replicas of a key "
                    + "stand in different zones as far as possible."),
    /** The weight of a node. */
    WEIGHT(
            SettingSection.MEMBERSHIP,
            "N",
            new Range(1, Node.MAX_WEIGHT),
            Fallback.WORDS,
            "1, or what was agreed",
            "With --bootstrap or --join, this node's share of the partitions relative to the others, %s."),
    /** The addresses of a node for clients. */
    PUBLIC_ADDRESS(
            SettingSection.MEMBERSHIP,
            "URL",
            Fallback.WORDS,
            "the listen addresses",
            "With --bootstrap or --join, where clients reach this node, http://HOST:PORT or grpc://HOST:PORT; several "
                    + "are repeated or separated by commas. Clients that know one node learn those of the others."),
    /** The join token of a cluster. */
    JOIN_TOKEN(
            SettingSection.MEMBERSHIP,
            "FILE",
            Fallback.WORDS,
            "none, nodes are added by hand",
            "File of a secret of 16 bytes or more, the same on every node: who has it may join without ./dht nodes "
                    + "add. Without TLS it stops mistakes, not strangers. Read again for each join."),
    /** The directory of the store's files. */
    DATA(
            SettingSection.STORAGE,
            "DIR",
            Fallback.WORDS,
            "dht-data/ID",
            "Directory of the data; if it is missing, the start creates and names it. The memory store has none."),
    /** The protocol between the nodes. */
    TRANSPORT(
            SettingSection.TRANSPORT,
            "NAME",
            Fallback.VALUE,
            "http",
            "Protocol between the nodes, the same on every node: http, grpc or tcp. With grpc and tcp this node's "
                    + "address in --peers must differ from --listen."),
    /** The client that sends calls over HTTP. */
    HTTP_CLIENT(
            SettingSection.TRANSPORT,
            "NAME",
            Fallback.VALUE,
            "vertx",
            "With --transport http, the client that calls the other nodes: vertx, vertx-pipelined, vertx-h2, "
                    + "webclient, jdk, jdk-h2 or one-nio."),
    /** The number of connections to each other node. */
    PEER_CONNECTIONS(
            SettingSection.TRANSPORT,
            "N",
            new Range(1, 10_000),
            Fallback.WORDS,
            "32, or fewer where one carries several calls at a time",
            "With --transport http or tcp, connections to each other node, %s (jdk-h2: to 16, tcp: to 256). one-nio "
                    + "has a thread for each."),
    /** The mode of calls over gRPC. */
    GRPC_MODE(
            SettingSection.TRANSPORT,
            "MODE",
            Fallback.VALUE,
            "stream",
            "With --transport grpc, how calls travel: stream (one long stream to each node) or unary (a call each)."),
    /** Whether requests share frames. */
    BATCHING(
            SettingSection.TRANSPORT, "on|off", Fallback.VALUE, "on", "Whether requests to a busy node share a frame."),
    /** The number of frames in flight at a time. */
    BATCH_FRAMES(
            SettingSection.TRANSPORT,
            "N",
            new Range(1, 1_000),
            Fallback.VALUE,
            "2",
            "Frames of reads, and as many of writes, in flight to a node before requests share one, %s: "
                    + "fewer make larger frames."),
    /** Whether missed writes are kept. */
    HANDOFF(
            SettingSection.REPAIR,
            "on|off",
            Fallback.VALUE,
            "on",
            "Whether this node keeps the writes that another node missed until that one answers; on disk if the "
                    + "entries are."),
    /** Whether replicas are compared. */
    REPAIR(
            SettingSection.REPAIR,
            "on|off",
            Fallback.VALUE,
            "on",
            "Whether this node compares its replicas with the others' in the background, reconciles them, and "
                    + "purges deleted and expired entries."),
    /** The interval of comparisons. */
    REPAIR_INTERVAL(
            SettingSection.REPAIR,
            "SECONDS",
            new Range(1, 30 * 24 * 3600),
            Fallback.VALUE,
            "600",
            "Approximate time between two comparisons, %s."),
    /** The transfer rate of a comparison. */
    REPAIR_RATE(
            SettingSection.REPAIR,
            "KIB",
            new Range(16, 1 << 20),
            Fallback.VALUE,
            "16384",
            "Greatest rate of a comparison, also of one started by hand, %s KiB per second."),
    /** The memory for snapshots. */
    SNAPSHOT_MIB(
            SettingSection.LIMITS,
            "N",
            new Range(0, 1 << 20),
            Fallback.WORDS,
            "a sixteenth of the heap, at most 128",
            "Memory for entries overwritten during a snapshot, %s MiB; beyond it the snapshot fails."),
    /** The treatment of requests whose replies are no longer wanted. */
    CANCELLATION(
            SettingSection.REQUESTS,
            "POLICY",
            Fallback.VALUE,
            "local",
            "Fate of a request whose reply is no longer needed: never (the reply is read all the same), local (it "
                    + "is dropped unread) or propagate (the replica cancels the request)."),
    /** The placement strategy. */
    PLACEMENT(
            SettingSection.CLUSTER,
            "NAME",
            Fallback.VALUE,
            "rendezvous",
            "Strategy that assigns keys to nodes: ring, rendezvous, jump or modulo. The same on every node, as are "
                    + "hash, hash key, partitions and replication factor."),
    /** The hash function of keys. */
    HASH(
            SettingSection.CLUSTER,
            "NAME",
            Fallback.VALUE,
            "xxh3",
            "Hash of the keys: xxh3, murmur3, siphash (for keys that strangers choose) or string."),
    /** The key of a keyed hash. */
    HASH_KEY(
            SettingSection.CLUSTER,
            "HEX",
            Fallback.WORDS,
            "none",
            "Key of siphash: 32 hexadecimal digits, secret, the same on every node. Every user of the machine sees "
                    + "it among the arguments; --hash-key-file hides it."),
    /** The file of the key of a keyed hash. */
    HASH_KEY_FILE(
            SettingSection.CLUSTER,
            "FILE",
            Fallback.WORDS,
            "none",
            "File with the key of siphash and nothing else, in place of --hash-key. Only the server's user should "
                    + "be able to read it."),
    /** The number of partitions. */
    PARTITIONS(
            SettingSection.CLUSTER,
            "N",
            new Range(1, PartitionTable.MAX_PARTITIONS),
            Fallback.VALUE,
            "1024",
            "Number of partitions, a power of two from %s."),
    /** The kind of store. */
    STORE(
            SettingSection.STORAGE,
            "NAME",
            Fallback.VALUE,
            "mvstore",
            "Store of the entries: mvstore (on disk) or memory (gone when the server ends)."),
    /** The failures that an acknowledged write survives. */
    DURABILITY(
            SettingSection.STORAGE,
            "LEVEL",
            Fallback.VALUE,
            "os",
            "What an acknowledged write survives on its node: os (the end of the process) or fsync (loss of power)."),
    /** The nodes that a refill does without. */
    REFILL_WITHOUT(
            SettingSection.STORAGE,
            "NAME,...",
            Fallback.WORDS,
            "none, it waits for every one",
            "Nodes that a refill (--rebuild, or a rolled-back disk) leaves out because their data is lost for good. "
                    + "Entries that only they and this node held are lost then."),
    /** The default number of replicas of a key. */
    REPLICATION_FACTOR(
            SettingSection.CLUSTER,
            "N",
            Fallback.WORDS,
            "3, or the number of nodes if less",
            "Number of replicas of a key for requests that set none."),
    /** The replicas that a read asks. */
    READS(
            SettingSection.REQUESTS,
            "POLICY",
            Fallback.VALUE,
            "enough",
            "Which replicas a read asks: enough (as many as must answer) or all."),
    /** When a read asks one more replica. */
    HEDGE(
            SettingSection.REQUESTS,
            "off|MILLIS|PERCENT%",
            Fallback.VALUE,
            "off",
            "When a read asks one more replica: never, after some milliseconds, or when an answer is slower than a "
                    + "percentile of the recent ones, as in 95%."),
    /** The timeout of a request. */
    TIMEOUT(
            SettingSection.REQUESTS,
            "MILLIS",
            new Range(1, 3_600_000),
            Fallback.VALUE,
            "5000",
            "Timeout of requests that set none, %s milliseconds."),
    /** The time after which a call is slow. */
    SLOW_CALLS(
            SettingSection.REQUESTS,
            "MILLIS",
            new Range(0, 3_600_000),
            Fallback.VALUE,
            "1000",
            "Milliseconds after which a call is logged as slow, %s; 0 logs none."),
    /** The order in which the operations on a key take effect. */
    ORDERING(
            SettingSection.REQUESTS,
            "NAME",
            Fallback.VALUE,
            "real-time",
            "Order of the operations on a key for requests that set none: real-time, or linearizable, which costs "
                    + "one more round trip. See docs/guarantees.md."),
    /** The time that the node waits for the others at its start. */
    START_PATIENCE(
            SettingSection.CLUSTER,
            "MILLIS",
            new Range(0, 600_000),
            Fallback.VALUE,
            "5000",
            "Time that the start waits for silent nodes, %s milliseconds. It does not wait for nodes that refuse the "
                    + "connection."),
    /** The largest value. */
    MAX_VALUE_BYTES(
            SettingSection.LIMITS,
            "N",
            new Range(1, 512 << 20),
            Fallback.VALUE,
            "16777216",
            "Largest value in bytes, %s. The same on every node."),
    /** The node's names over HTTP. */
    PUBLIC_HOST(
            SettingSection.PUBLIC_APIS,
            "HOST",
            Fallback.WORDS,
            "addresses, localhost, and the node's own names",
            "Name by which clients and nodes reach this one over HTTP, for example of a proxy; several are repeated or "
                    + "separated by commas. Requests to other hosts are refused, since foreign web pages could send "
                    + "them; with tokens only those of nodes."),
    /** The bound on connections. */
    MAX_CONNECTIONS(
            SettingSection.LIMITS,
            "N",
            new Range(1, 1_000_000),
            Fallback.VALUE,
            "10000",
            "Connections to each port, %s. At most a quarter of the open files of the process. On an HTTP port that "
                    + "peers share, a quarter is reserved for them."),
    /** The bound on connections from one address. */
    MAX_CONNECTIONS_PER_ADDRESS(
            SettingSection.LIMITS,
            "N",
            new Range(1, 1_000_000),
            Fallback.WORDS,
            "half of --max-connections",
            "Connections that the clients of one address may use, %s."),
    /** The address of the public gRPC API. */
    GRPC_LISTEN(
            SettingSection.PUBLIC_APIS,
            "HOST:PORT",
            Fallback.WORDS,
            "none",
            "Address of the public gRPC API, with a port of its own."),
    /** The time between the announcement of a stop and the stop. */
    SHUTDOWN_DELAY(
            SettingSection.PUBLIC_APIS,
            "MILLIS",
            new Range(0, 600_000),
            Fallback.VALUE,
            "5000",
            "Time that the node goes on serving after SIGTERM, %s milliseconds, while it tells clients and load "
                    + "balancers to call other nodes. A node without others does not wait."),
    /** The node's certificate. */
    TLS_CERT(
            SettingSection.SECURITY,
            "FILE",
            Fallback.WORDS,
            "none, everything is plaintext",
            "PEM file of this node's certificate, which bears its name. Turns TLS on for every listener and every "
                    + "call to another node. Files are read again when they change."),
    /** The certificate's key. */
    TLS_KEY(
            SettingSection.SECURITY,
            "FILE",
            Fallback.WORDS,
            "none",
            "PEM file of the certificate's private key, PKCS #8, not encrypted."),
    /** The trusted authorities. */
    TLS_CA(
            SettingSection.SECURITY,
            "FILE",
            Fallback.WORDS,
            "none",
            "PEM file of the authorities that sign the nodes' certificates. Needed with TLS and more than one node."),
    /** The callers in addition to the peers. */
    TRUSTED(
            SettingSection.SECURITY,
            "NAME,...",
            Fallback.WORDS,
            "none",
            "With TLS, members without a store that may call this node as its peers do, by the names in their "
                    + "certificates."),
    /** Whether plaintext may leave the machine. */
    ALLOW_PLAINTEXT(
            SettingSection.SECURITY,
            "on|off",
            Fallback.VALUE,
            "off",
            "Lets this node listen beyond loopback without TLS, on networks that are protected otherwise."),
    /** The tokens of the public APIs. */
    TOKENS(
            SettingSection.SECURITY,
            "FILE",
            Fallback.WORDS,
            "none, anyone may do anything",
            "File of the tokens that clients of the public APIs need, read again when it changes. Each line has "
                    + "scopes (read, write, admin; separated by commas), a space, and a token or its sha256:HEX.");

    /** The beginning of the names of environment variables. */
    public static final String VARIABLE_PREFIX = "DHT_";

    private final SettingSection section;
    private final String label;
    /** Greater than the maximum if the setting is no number. */
    private final int min;

    private final int max;
    private final Fallback kind;
    private final String fallback;
    private final String description;

    Setting(SettingSection section, String label, Fallback kind, String fallback, String description) {
        this.section = section;
        this.label = label;
        this.min = 1;
        this.max = 0;
        this.kind = kind;
        this.fallback = fallback;
        this.description = description;
    }

    /** Creates a whole number; the range replaces {@code %s} in the description. */
    Setting(SettingSection section, String label, Range range, Fallback kind, String fallback, String description) {
        this.section = section;
        this.label = label;
        this.min = range.min();
        this.max = range.max();
        this.kind = kind;
        this.fallback = fallback;
        this.description = description.formatted(range);
    }

    /** The whole numbers of a setting. */
    record Range(int min, int max) {

        /** Returns this range without numbers beyond a lower maximum. */
        Range upTo(int lower) {
            return new Range(min, Math.min(max, lower));
        }

        /** Returns for example {@code 1 to 1000}. */
        @Override
        public String toString() {
            return min + " to " + max;
        }
    }

    /** The meaning of an absent setting. */
    private enum Fallback {
        /** A text that is read as if it had been given. */
        VALUE,
        /** A value that depends on other settings, in words for the help. */
        WORDS
    }

    /**
     * Returns the name in a file.
     *
     * @return for example {@code replication-factor}
     */
    public String propertyName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Returns the name on the command line.
     *
     * @return for example {@code --replication-factor}
     */
    public String option() {
        return "--" + propertyName();
    }

    /**
     * Returns the name in the environment.
     *
     * @return for example {@code DHT_REPLICATION_FACTOR}
     */
    public String variable() {
        return VARIABLE_PREFIX + name();
    }

    /**
     * Returns the topic.
     *
     * @return the section of the help
     */
    public SettingSection section() {
        return section;
    }

    /** Returns the range of a whole number; empty for other settings. */
    Optional<Range> range() {
        return min > max ? Optional.empty() : Optional.of(new Range(min, max));
    }

    /**
     * Returns the placeholder of the value in the help.
     *
     * @return for example {@code HOST:PORT}
     */
    public String label() {
        return label;
    }

    /**
     * Returns the default, in words for the help.
     *
     * @return a value or a description
     */
    public String fallback() {
        return fallback;
    }

    /** Returns the text that is read for an absent setting; empty if the default depends on other settings. */
    Optional<String> fallbackValue() {
        return kind == Fallback.VALUE ? Optional.of(fallback) : Optional.empty();
    }

    /**
     * Returns the description for the help.
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
