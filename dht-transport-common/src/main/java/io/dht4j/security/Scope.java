package io.dht4j.security;

/** What a token allows. */
public enum Scope {
    /** To read keys, to scan the cluster, and to ask where keys live. */
    READ,
    /** To write and to delete keys. */
    WRITE,
    /** Everything, the entries of a single node included. */
    ADMIN
}
