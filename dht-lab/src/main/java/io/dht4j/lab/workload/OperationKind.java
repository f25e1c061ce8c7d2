package io.dht4j.lab.workload;

/** The kind of an operation of a workload. */
public enum OperationKind {
    /** Reads a chosen key. */
    GET("get"),
    /** Writes a whole new value under a chosen key, which exists or not. */
    PUT("put"),
    /** Writes a whole new value under a chosen key that exists: a put of another name, as YCSB counts them. */
    UPDATE("update"),
    /** Writes a new key at the end of the {@link KeySpace}. */
    INSERT("insert"),
    /** Reads a number of keys in ascending order, from a chosen key on. */
    SCAN("scan"),
    /** Reads a chosen key and, after the answer, writes it. */
    READ_MODIFY_WRITE("rmw");

    private final String label;

    OperationKind(String label) {
        this.label = label;
    }

    /**
     * Returns the name in the text of a mix.
     *
     * @return lower case
     */
    public String label() {
        return label;
    }

    /**
     * Returns whether it reads.
     *
     * @return true for a get, a scan and a read-modify-write
     */
    public boolean reads() {
        return this == GET || this == SCAN || this == READ_MODIFY_WRITE;
    }

    /**
     * Returns whether it writes.
     *
     * @return true for all but a get and a scan
     */
    public boolean writes() {
        return this != GET && this != SCAN;
    }
}
