package io.dht4j.simulator.cluster.membership;

import io.dht4j.NodeId;
import io.dht4j.core.internal.view.NodeIdentity;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.core.internal.wire.codec.FrameCodec.Decoded;
import io.dht4j.spi.Frame;
import java.util.Objects;
import java.util.Optional;

/** Changes the heads of frames between nodes of an agreed cluster. */
final class FrameHeaders {

    private FrameHeaders() {}

    /** The same frame for another incarnation of its recipient, if that is the given one. */
    static Frame toIncarnation(Frame frame, NodeId recipient, NodeIdentity identity) {
        try {
            Decoded<Request> decoded = FrameCodec.decodeRequest(frame.toBytes(), AgreedCluster.NAMES);
            FrameHeader header = decoded.header();
            if (!header.recipient().equals(Optional.of(recipient))) {
                return frame;
            }
            FrameHeader.Agreed agreed = Objects.requireNonNull(header.agreed());
            return FrameCodec.encode(
                    with(header, new FrameHeader.Agreed(agreed.sender(), identity, agreed.rowVersion())),
                    decoded.message());
        } catch (FrameException e) {
            throw new AssertionError(e);
        }
    }

    /** The request in a frame. */
    static Request request(byte[] frame) {
        try {
            return FrameCodec.open(frame, AgreedCluster.NAMES).request();
        } catch (FrameException e) {
            throw new AssertionError(e);
        }
    }

    /** Whether a frame names both nodes by their identities. */
    static boolean isAgreed(byte[] frame) {
        try {
            return FrameCodec.header(frame, AgreedCluster.NAMES).agreed() != null;
        } catch (FrameException e) {
            throw new AssertionError(e);
        }
    }

    /** A request with the head of another frame, and a row version. */
    static Frame like(byte[] frame, long rowVersion, Request request) {
        try {
            FrameHeader header =
                    FrameCodec.decodeRequest(frame, AgreedCluster.NAMES).header();
            FrameHeader.Agreed agreed = Objects.requireNonNull(header.agreed());
            return FrameCodec.encode(
                    with(header, new FrameHeader.Agreed(agreed.sender(), agreed.recipient(), rowVersion)), request);
        } catch (FrameException e) {
            throw new AssertionError(e);
        }
    }

    private static FrameHeader with(FrameHeader header, FrameHeader.Agreed agreed) {
        return new FrameHeader(
                header.sender(),
                header.recipient(),
                header.settings(),
                header.epoch(),
                header.clock(),
                header.wallMillis(),
                agreed);
    }
}
