package io.dht4j.core.internal.wire;

import java.util.Optional;
import java.util.UUID;

/**
 * A request about the agreement of the cluster's nodes. A node serves it also before it belongs to a cluster, and for
 * any settings and epoch of the sender.
 */
@SuppressWarnings("ArrayRecordComponent") // only passed on, never compared
public sealed interface MembershipRequest extends Request {

    /** The maximum number of bytes that one of these requests or replies carries. */
    int MAX_BYTES = 128 * 1024;

    /**
     * Asks a node for its incarnation, to form a cluster with it.
     *
     * @param proposal the encoded nodes and settings of the new cluster, up to {@value #MAX_BYTES} bytes
     */
    record Found(byte[] proposal) implements MembershipRequest {}

    /**
     * Asks for a part of the newest agreed state.
     *
     * @param cluster the cluster; empty if the sender belongs to none
     * @param have the epoch of the newest state that the sender has; 0 for none
     * @param want the epoch of the state whose earlier parts have arrived; 0 for the newest one
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
     * @param to the incarnation of the recipient; other incarnations drop the message
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
     * Asks a node for its installed state's epoch, whether it leads, and its progress in taking over slots. A node with
     * an older state than the sender's fetches the sender's.
     *
     * @param cluster the cluster
     * @param epoch the epoch of the state that the sender has installed
     */
    record Report(UUID cluster, long epoch) implements MembershipRequest {}

    /**
     * Reports when the sender or another node has last heard a member, and requests the same report. In frames it is a
     * {@link Report} with more bytes, which a node of 0.1.0 refuses as malformed.
     *
     * @param cluster the cluster
     * @param epoch the epoch of the state that the sender has installed
     * @param about the incarnation of the member
     * @param heardMillis how long ago it was heard, in milliseconds; {@link MembershipReply.LastHeard#UNKNOWN} if
     *     unknown
     */
    record Silence(UUID cluster, long epoch, UUID about, long heardMillis) implements MembershipRequest {}

    /**
     * Requests admission under the sender's name. The reply is that of {@link Append}.
     *
     * @param incarnation the sender's incarnation
     * @param proof that the sender has the join token of the cluster
     */
    record Admit(UUID incarnation, byte[] proof) implements MembershipRequest {}
}
