package io.dht4j;

import java.util.Optional;

/**
 * The errors that a cluster reports, with their number and name on every wire. Numbers and names are stable; new ones
 * may be added and none is reused. The thousands digit gives the {@link Action} of the caller.
 */
public enum ErrorCode {
    /** A malformed request for which no other code applies. */
    BAD_REQUEST(1000, Action.FIX_REQUEST),
    /** A key is missing, empty, too long or not well-formed. */
    KEY_INVALID(1001, Action.FIX_REQUEST),
    /** A replication policy is out of range for this cluster. */
    POLICY_INVALID(1002, Action.FIX_REQUEST),
    /** A time to live is out of range or not allowed for the call. */
    TTL_INVALID(1003, Action.FIX_REQUEST),
    /** A timeout is out of range. */
    TIMEOUT_INVALID(1004, Action.FIX_REQUEST),
    /** A value is larger than the cluster accepts. */
    VALUE_TOO_LARGE(1005, Action.FIX_REQUEST),
    /** A scan's range, limit or scope is missing or out of range. */
    SCAN_INVALID(1006, Action.FIX_REQUEST),
    /** The path is unknown. */
    UNKNOWN_RESOURCE(1007, Action.FIX_REQUEST),
    /** The path exists but does not support the method. */
    METHOD_NOT_ALLOWED(1008, Action.FIX_REQUEST),
    /** A batch holds more keys than the cluster accepts in one call. */
    BATCH_TOO_LARGE(1009, Action.FIX_REQUEST),
    /**
     * The snapshot has ended, or too few nodes still have it. Its lease expired, it was closed, or a node reached its
     * limit for superseded entries.
     */
    SNAPSHOT_GONE(1010, Action.FIX_REQUEST),
    /** A plain write of a key that belongs to atomic operations: it begins with {@code \0atomic/}. */
    ATOMIC_KEY(1011, Action.FIX_REQUEST),
    /** An operation on an atomic key that needs a counter where a value is, or a value where a counter is. */
    ATOMIC_KIND(1012, Action.FIX_REQUEST),
    /** A counter would leave the range of 64-bit numbers. */
    COUNTER_OVERFLOW(1013, Action.FIX_REQUEST),
    /** The condition of a request does not hold, so nothing was done. */
    CONDITION_FAILED(1014, Action.FIX_REQUEST),
    /** The id of an operation on an atomic key belongs to another operation on it. */
    REQUEST_ID_REUSED(1015, Action.FIX_REQUEST),
    /** A frame that cannot be decoded. */
    MALFORMED_FRAME(1100, Action.FIX_REQUEST),
    /** A frame of a protocol version that this node does not speak. */
    UNSUPPORTED_PROTOCOL(1101, Action.FIX_REQUEST),
    /** A frame that is larger than this node accepts. */
    FRAME_TOO_LARGE(1102, Action.FIX_REQUEST),
    /**
     * The version of a write lies too far in the future of the node that refuses it: the coordinator's clock is wrong.
     */
    VERSION_TOO_FAR_AHEAD(1103, Action.FIX_REQUEST),
    /**
     * The version of a write is older than the one up to which a replica has voted to purge. The write is far too late,
     * or its coordinator's clock is far behind.
     */
    VERSION_TOO_OLD(1104, Action.FIX_REQUEST),
    /** The request carries no token, or an unknown one. */
    UNAUTHENTICATED(1200, Action.FIX_REQUEST),
    /** The request's token is valid but does not allow this operation. */
    PERMISSION_DENIED(1201, Action.FIX_REQUEST),

    /** Too few replicas answered a read in time. */
    NOT_ENOUGH_REPLICAS(2000, Action.RETRY_ANYWHERE),
    /** The request was never sent, and nothing has changed. */
    NOT_SENT(2001, Action.RETRY_ANYWHERE),
    /** The node is shutting down or not yet serving. Another node may serve. */
    NOT_SERVING(2002, Action.RETRY_ANYWHERE),
    /** The node's store cannot be read or written. */
    STORE_FAILED(2003, Action.RETRY_ANYWHERE),
    /** The coordinator's topology is older than the replica's. */
    STALE_TOPOLOGY(2004, Action.RETRY_ANYWHERE),
    /**
     * Two nodes of one cluster have different settings of something that must be equal on all: nodes, partitions,
     * placement, hash function, replication factor or largest value. A node that others refuse for that takes no
     * writes.
     */
    PLACEMENT_MISMATCH(2005, Action.RETRY_ANYWHERE),
    /** The deadline passed before the work began, or before a node answered a read of a remote client. */
    DEADLINE_PASSED(2006, Action.RETRY_ANYWHERE),
    /**
     * The replica lost its entries and is refilling from the other replicas. Until it has finished, it accepts writes
     * and refuses reads. Or it takes over a partition, and does not accept requests for it yet.
     */
    REPLICA_REFILLING(2007, Action.RETRY_ANYWHERE),
    /** The node at an address is not the intended one: the caller's topology lists the address of another node. */
    WRONG_RECIPIENT(2008, Action.RETRY_ANYWHERE),
    /** The clock of the node contradicts the clocks of the others. The node refuses writes until they agree. */
    CLOCK_CONTRADICTED(2009, Action.RETRY_ANYWHERE),
    /**
     * Another member without a store assigns versions of the same slot. Names determine the slots, so one of the
     * members must be renamed.
     */
    VERSION_SLOT_TAKEN(2010, Action.RETRY_ANYWHERE),
    /** The replica's topology is older than the coordinator's, and it has not had the newer one in time. */
    TOPOLOGY_BEHIND(2011, Action.RETRY_ANYWHERE),

    /** Too few replicas confirmed a write in time. Some may have applied it, and a later read may show it. */
    WRITE_INDETERMINATE(3000, Action.REPEAT_ONLY_THIS),
    /** An internal fault; a request may or may not have been carried out. */
    INTERNAL(3001, Action.REPEAT_ONLY_THIS),
    /** A request was sent to a node, and no reply came: the connection broke, or the reply did not come in time. */
    NO_REPLY(3002, Action.REPEAT_ONLY_THIS),
    /**
     * The id of an operation on an atomic key is so old that the key has forgotten whether the operation was executed.
     * It was not executed now.
     */
    REQUEST_FORGOTTEN(3003, Action.REPEAT_ONLY_THIS),

    /** Too many requests or bytes are in flight. */
    OVERLOADED(4000, Action.BACK_OFF);

    /** The action that an error allows the caller. */
    public enum Action {
        /** The request can never succeed as it is. */
        FIX_REQUEST,
        /** Nothing has changed: the caller may send the request again, to this node or another. */
        RETRY_ANYWHERE,
        /**
         * The outcome is unknown. Repeating the same write is safe; treating it as failed is not. A repeated
         * {@link #REQUEST_FORGOTTEN} fails again.
         */
        REPEAT_ONLY_THIS,
        /** Nothing has changed; the caller should wait before it sends again. */
        BACK_OFF
    }

    private final int number;
    private final Action action;

    ErrorCode(int number, Action action) {
        this.number = number;
        this.action = action;
    }

    /**
     * Returns the number of this error on the wire.
     *
     * @return 1000 to 4999
     */
    public int number() {
        return number;
    }

    /**
     * Returns the action that the error allows the caller.
     *
     * @return the action
     */
    public Action action() {
        return action;
    }

    /**
     * Returns whether the same request may succeed later: other nodes may answer then, or a clock that is wrong may be
     * set.
     *
     * @return false if the request itself is wrong
     */
    public boolean isTemporary() {
        return action != Action.FIX_REQUEST || this == VERSION_TOO_FAR_AHEAD;
    }

    /**
     * Finds a code by its number.
     *
     * @param number as received
     * @return the code, or empty for one that this version does not know
     */
    public static Optional<ErrorCode> byNumber(int number) {
        for (ErrorCode code : values()) {
            if (code.number == number) {
                return Optional.of(code);
            }
        }
        return Optional.empty();
    }
}
