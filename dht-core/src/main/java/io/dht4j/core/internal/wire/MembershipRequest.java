package io.dht4j.core.internal.wire;

import java.util.Optional;
import java.util.UUID;

/**
 * A request about the agreement of the cluster's nodes. A node serves it before it belongs to a cluster, and whatever
 * the sender's settings and epoch are.
 */
@SuppressWarnings("ArrayRecordComponent") // they are only passed on, and never compared
public sealed interface MembershipRequest extends Request {

    /** The maximum number of bytes that one of these requests or replies carries. */
    int MAX_BYTES = 128 * 1024;

    /**
     * Asks a node for its incarnation, to form a cluster with it.
     *
     * @param proposal the encoded nodes and settings of the cluster to be, up to {@value #MAX_BYTES} bytes
     */
    record Found(byte[] proposal) implements MembershipRequest {}

    /**
     * Asks for a part of the newest agreed state.
     *
     * @param cluster the cluster; empty if the sender belongs to none
     * @param have the epoch of the newest state that the sender has; 0 for none
     * @param want the epoch of the state of which earlier parts have come; 0 for the newest one
     * @param offset the first byte of the part
     */
    record State(Optional<UUID> cluster, long have, long want, int offset) implements MembershipRequest {}

    /**
     * Appends a command to the log of the cluster.
     *
     * @param cluster the cluster
     * @param command the encoded command, up to {@value #MAX_BYTES} bytes
     */
    record Append(UUID cluster, byte[] command) implements MembershipRequest {}

    /**
     * Carries a part of a message between the members of the topology log.
     *
     * @param from the incarnation of the sender
     * @param to the incarnation of the recipient: any other drops it
     * @param message numbers the messages of the sender
     * @param part the number of this part, 0 to {@code parts - 1}
     * @param parts the number of parts, 1 to {@value #MAX_PARTS}
     * @param bytes all parts but the last one have {@value #MAX_BYTES} bytes
     */
    record LogPart(UUID from, UUID to, int message, int part, int parts, byte[] bytes) implements MembershipRequest {

        /** The maximum number of parts of a message. */
        public static final int MAX_PARTS = 16;
    }

    /**
     * Asks a node which state it has installed, who leads, and how far it is in taking over slots. A node whose state
     * is older than the sender's fetches the sender's.
     *
     * @param cluster the cluster
     * @param epoch the epoch of the state that the sender has installed
     */
    record Report(UUID cluster, long epoch) implements MembershipRequest {}

    /**
     * Tells when a member was last heard, as far as the sender knows, and asks the same. In frames it is a
     * {@link Report} with more bytes, which a node of 0.1.0 refuses as malformed.
     *
     * @param cluster the cluster
     * @param epoch the epoch of the state that the sender has installed
     * @param about the incarnation of the member
     * @param heardMillis how long ago it was heard, in milliseconds; {@link MembershipReply.LastHeard#UNKNOWN} if that
     *     is not known
     */
    record Silence(UUID cluster, long epoch, UUID about, long heardMillis) implements MembershipRequest {}

    /**
     * Asks to be admitted under the sender's name. The reply is that of {@link Append}.
     *
     * @param incarnation the sender's incarnation
     * @param proof that the sender has the join token of the cluster
     */
    record Admit(UUID incarnation, byte[] proof) implements MembershipRequest {}
}
