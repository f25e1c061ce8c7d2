package io.dht4j.security;

/** The operations that a token allows. */
public enum Scope {
    /** Reading keys, scanning the cluster, and locating keys. */
    READ,
    /** Writing and deleting keys. */
    WRITE,
    /** All operations, including those on the entries of a single node. */
    ADMIN
}
