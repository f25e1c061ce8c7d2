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
}
