package io.dht4j;

/** What becomes of a request to a replica whose reply is no longer wanted, since enough others have answered. */
public enum CancellationPolicy {
    /** Nothing: the reply is awaited and read like any other. */
    NEVER,
    /** The reply is forgotten when it comes, unread; the replica is not told. */
    LOCAL,
    /** The replica is told, as cheaply as the transport can, and leaves out what it has not begun. */
    PROPAGATE
}
