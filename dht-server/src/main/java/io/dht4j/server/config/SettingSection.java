package io.dht4j.server.config;

/** The topics of settings: the headings under which the help shows them, in this order. */
public enum SettingSection {
    /** The nodes and the placement of keys: the same on every node. */
    CLUSTER("Cluster"),
    /** How the node belongs to a cluster whose nodes may change. */
    MEMBERSHIP("Membership"),
    /** The addresses for clients. */
    PUBLIC_APIS("Public APIs"),
    /** The treatment of requests. */
    REQUESTS("Requests"),
    /** The store of entries. */
    STORAGE("Storage"),
    /** The reconciliation of replicas. */
    REPAIR("Repair"),
    /** The calls between the nodes. */
    TRANSPORT("Between the nodes"),
    /** Access and encryption. */
    SECURITY("Security"),
    /** The bounds on memory and connections. */
    LIMITS("Limits");

    private final String heading;

    SettingSection(String heading) {
        this.heading = heading;
    }

    /**
     * Returns the heading.
     *
     * @return one to three words
     */
    public String heading() {
        return heading;
    }

    /**
     * Returns the section of a setting.
     *
     * @param setting the setting
     * @return its section
     */
    public static SettingSection of(Setting setting) {
        return switch (setting) {
            case ID, PEERS, REPLICATION_FACTOR, PARTITIONS, PLACEMENT, HASH, HASH_KEY, HASH_KEY_FILE, START_PATIENCE ->
                CLUSTER;
            case BOOTSTRAP, JOIN, PEER_ADDRESS, ZONE, WEIGHT, PUBLIC_ADDRESS, JOIN_TOKEN -> MEMBERSHIP;
            case LISTEN, PUBLIC_HOST, GRPC_LISTEN, SHUTDOWN_DELAY -> PUBLIC_APIS;
            case TIMEOUT, SLOW_CALLS, READS, HEDGE, ORDERING, CANCELLATION -> REQUESTS;
            case STORE, DATA, DURABILITY, REFILL_WITHOUT -> STORAGE;
            case HANDOFF, REPAIR, REPAIR_INTERVAL, REPAIR_RATE -> SettingSection.REPAIR;
            case TRANSPORT, HTTP_CLIENT, PEER_CONNECTIONS, GRPC_MODE, BATCHING, BATCH_FRAMES ->
                SettingSection.TRANSPORT;
            case TLS_CERT, TLS_KEY, TLS_CA, TRUSTED, TOKENS, ALLOW_PLAINTEXT -> SECURITY;
            case MAX_VALUE_BYTES, MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS, SNAPSHOT_MIB -> LIMITS;
        };
    }
}
