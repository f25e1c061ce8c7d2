package io.dht4j;

import java.util.Optional;

/**
 * Every error that a cluster reports, with the number and the name that stand for it on every wire. Numbers and names
 * are stable for ever; new ones are added, none is reused. The thousands tell what the caller may do, see
 * {@link Action}.
 */
public enum ErrorCode {
    /** A request that is malformed in a way no other code names. */
    BAD_REQUEST(1000, Action.FIX_REQUEST),
    /** A key is missing, empty, too long or not well-formed. */
    KEY_INVALID(1001, Action.FIX_REQUEST),
    /** A replication policy is out of range for this cluster. */
    POLICY_INVALID(1002, Action.FIX_REQUEST),
    /** A time to live is out of range or stands where none is allowed. */
    TTL_INVALID(1003, Action.FIX_REQUEST),
    /** A timeout is out of range. */
    TIMEOUT_INVALID(1004, Action.FIX_REQUEST),
    /** A value is larger than the cluster accepts. */
    VALUE_TOO_LARGE(1005, Action.FIX_REQUEST),
    /** A scan's range, limit or scope is missing or out of range. */
    SCAN_INVALID(1006, Action.FIX_REQUEST),
    /** No such path. */
    UNKNOWN_RESOURCE(1007, Action.FIX_REQUEST),
    /** The path exists, the method does not. */
    METHOD_NOT_ALLOWED(1008, Action.FIX_REQUEST),
    /** A batch holds more keys than the cluster accepts in one call. */
    BATCH_TOO_LARGE(1009, Action.FIX_REQUEST),
    /**
     * The snapshot has ended, or too few nodes still have it: its lease ran out, it was closed, or it was too much to
     * keep.
     */
    SNAPSHOT_GONE(1010, Action.FIX_REQUEST),
    /** A frame that cannot be decoded. */
    MALFORMED_FRAME(1100, Action.FIX_REQUEST),
    /** A frame of a protocol version that this node does not speak. */
    UNSUPPORTED_PROTOCOL(1101, Action.FIX_REQUEST),
    /** A frame that is larger than this node accepts. */
    FRAME_TOO_LARGE(1102, Action.FIX_REQUEST),
    /**
     * A write whose version lies too far in the future of the node that refuses it: the coordinator's clock is wrong.
     */
    VERSION_TOO_FAR_AHEAD(1103, Action.FIX_REQUEST),
    /**
     * A write whose version is older than what all replicas have agreed on: it comes far too late, or its coordinator's
     * clock is far behind.
     */
    VERSION_TOO_OLD(1104, Action.FIX_REQUEST),
    /** The request carries no token, or one that nobody gave out. */
    UNAUTHENTICATED(1200, Action.FIX_REQUEST),
    /** The request's token is known, and does not allow this. */
    PERMISSION_DENIED(1201, Action.FIX_REQUEST),

    /** Too few replicas answered a read in time. */
    NOT_ENOUGH_REPLICAS(2000, Action.RETRY_ANYWHERE),
    /** A request was never sent: nothing has happened. */
    NOT_SENT(2001, Action.RETRY_ANYWHERE),
    /** The node is shutting down or not yet serving; another one may serve. */
    NOT_SERVING(2002, Action.RETRY_ANYWHERE),
    /** The node's store cannot be read or written. */
    STORE_FAILED(2003, Action.RETRY_ANYWHERE),
    /** The coordinator's topology is older than the replica's. */
    STALE_TOPOLOGY(2004, Action.RETRY_ANYWHERE),
    /**
     * Two nodes of one cluster differ in what must be equal on all: nodes, partitions, placement, hash function,
     * replication factor or largest value.
     */
    PLACEMENT_MISMATCH(2005, Action.RETRY_ANYWHERE),
    /** The deadline passed before the work began. */
    DEADLINE_PASSED(2006, Action.RETRY_ANYWHERE),
    /**
     * The replica lost what it held and is getting it back from the others; until then it takes writes and refuses
     * reads.
     */
    REPLICA_REFILLING(2007, Action.RETRY_ANYWHERE),
    /**
     * The node at an address is not the one that was asked: the address in the caller's list of nodes is another
     * node's.
     */
    WRONG_RECIPIENT(2008, Action.RETRY_ANYWHERE),
    /** The clock of the node contradicts those of the others: it takes no writes until they agree. */
    CLOCK_CONTRADICTED(2009, Action.RETRY_ANYWHERE),
    /**
     * Another member without a store gives versions of the same slot; names decide the slots, so one must be renamed.
     */
    VERSION_SLOT_TAKEN(2010, Action.RETRY_ANYWHERE),

    /** Too few replicas confirmed a write in time; some may have applied it, and a later read may show it. */
    WRITE_INDETERMINATE(3000, Action.REPEAT_ONLY_THIS),
    /** An internal fault; a request may or may not have been carried out. */
    INTERNAL(3001, Action.REPEAT_ONLY_THIS),

    /** Too many requests or bytes are in flight. */
    OVERLOADED(4000, Action.BACK_OFF);

    /** What the caller may do about an error. */
    public enum Action {
        /** The request can never succeed as it is. */
        FIX_REQUEST,
        /** Nothing has changed: send the request again, to this node or another. */
        RETRY_ANYWHERE,
        /** The outcome is unknown. Repeating the same write is safe; acting as if it had failed is not. */
        REPEAT_ONLY_THIS,
        /** Nothing has changed; wait before sending again. */
        BACK_OFF
    }

    private final int number;
    private final Action action;

    ErrorCode(int number, Action action) {
        this.number = number;
        this.action = action;
    }

    /**
     * The number that stands for this error on the wire.
     *
     * @return 1000 to 4999
     */
    public int number() {
        return number;
    }

    /**
     * What the caller may do.
     *
     * @return the action
     */
    public Action action() {
        return action;
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
