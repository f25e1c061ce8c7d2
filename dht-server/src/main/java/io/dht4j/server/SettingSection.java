package io.dht4j.server;

/** The topics of settings: the headings under which the help shows them, in this order. */
public enum SettingSection {
    /** Which nodes there are, and which keys each holds: the same on every node. */
    CLUSTER("Cluster"),
    /** Where clients call. */
    PUBLIC_APIS("Public APIs"),
    /** How requests are carried out. */
    REQUESTS("Requests"),
    /** What keeps the entries. */
    STORAGE("Storage"),
    /** How replicas are reconciled. */
    REPAIR("Repair"),
    /** How the nodes call each other. */
    TRANSPORT("Between the nodes"),
    /** Who may call, and what is encrypted. */
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
            case LISTEN, PUBLIC_HOST, GRPC_LISTEN -> PUBLIC_APIS;
            case TIMEOUT, READS, HEDGE, ORDERING, CANCELLATION -> REQUESTS;
            case STORE, DATA, DURABILITY, REFILL_WITHOUT -> STORAGE;
            case HANDOFF, REPAIR, REPAIR_INTERVAL, REPAIR_RATE -> SettingSection.REPAIR;
            case TRANSPORT, HTTP_CLIENT, PEER_CONNECTIONS, GRPC_MODE, BATCHING, BATCH_FRAMES ->
                SettingSection.TRANSPORT;
            case TLS_CERT, TLS_KEY, TLS_CA, TRUSTED, TOKENS, ALLOW_PLAINTEXT -> SECURITY;
            case MAX_VALUE_BYTES, MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS, SNAPSHOT_MIB -> LIMITS;
        };
    }
}
