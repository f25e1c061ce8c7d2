package io.dht4j.core.internal.wire.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.BatchProgress;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.MembershipReply;
import io.dht4j.core.internal.wire.MembershipReply.LastHeard;
import io.dht4j.core.internal.wire.MembershipReply.Outcome;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.core.internal.wire.MembershipRequest.LogPart;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.StoreSpace;
import io.dht4j.spi.TopologyLog;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Messages about membership in frames. */
class MembershipFramesTest {

    private static final NodeIds NAMES = new NodeIds(List.of());
    private static final FrameHeader HEADER =
            new FrameHeader(new NodeId("n1"), Optional.of(new NodeId("n2")), 0, 7, new Version(0), 1);
    private static final UUID ONE = new UUID(1, 2);
    private static final UUID OTHER = new UUID(3, 4);
    private static final byte[] BYTES = {1, 2, 3};
    private static final byte[] FULL = new byte[MembershipRequest.MAX_BYTES];

    /** Each request with replies to it. */
    private static Map<MembershipRequest, List<MembershipReply>> messages() {
        Map<MembershipRequest, List<MembershipReply>> all = new LinkedHashMap<>();
        all.put(
                new MembershipRequest.Found(BYTES),
                List.of(
                        new MembershipReply.Founder(ONE, Optional.of(OTHER), BYTES, ""),
                        new MembershipReply.Founder(ONE, Optional.empty(), new byte[0], "other lists")));
        all.put(
                new MembershipRequest.State(Optional.of(ONE), 3, 9, 0),
                List.of(
                        new MembershipReply.StatePart(Optional.of(ONE), 9, 3, BYTES),
                        new MembershipReply.StatePart(Optional.empty(), 0, 0, new byte[0])));
        all.put(
                new MembershipRequest.Append(ONE, BYTES),
                Arrays.stream(Outcome.values())
                        .map(outcome -> (MembershipReply)
                                new MembershipReply.Appended(outcome, 5, "a reason", Optional.of(OTHER)))
                        .toList());
        all.put(new LogPart(ONE, OTHER, 8, 1, 2, BYTES), List.of(new MembershipReply.Taken()));
        all.put(
                new MembershipRequest.Admit(ONE, BYTES),
                List.of(new MembershipReply.Appended(Outcome.REFUSED, 0, "another token", Optional.empty())));
        all.put(
                new MembershipRequest.Report(ONE, 9),
                List.of(
                        new MembershipReply.Reported(ONE, 0, false, 0, 0, List.of()),
                        new MembershipReply.Reported(
                                ONE, 1, true, 0, 0, Optional.of(new StoreSpace(5, 0)), List.of(), List.of("n1", "")),
                        new MembershipReply.Reported(
                                OTHER,
                                7,
                                true,
                                1L << 40,
                                2,
                                List.of(
                                        new BatchProgress(5, PartitionSet.of(1, 9), 3, 4, Optional.empty()),
                                        new BatchProgress(6, PartitionSet.empty(), 0, 0, Optional.of("n1"))))));
        return all;
    }

    @Test
    void everyMessageDecodesToTheOriginal() {
        messages().forEach((request, replies) -> {
            byte[] frame = FrameCodec.encode(HEADER, request).toBytes();
            assertThat(FrameCodec.isAboutMembership(frame)).isTrue();
            assertThat(decoded(frame)).usingRecursiveComparison().isEqualTo(request);
            for (MembershipReply reply : replies) {
                assertThat(decodedReply(FrameCodec.encode(HEADER, reply), request))
                        .usingRecursiveComparison()
                        .isEqualTo(reply);
            }
        });
    }

    /** So a node of 0.1.0 refuses it as malformed, and not as a request of a stranger. */
    @Test
    void silenceQuestionExtendsAReportRequest() {
        for (long heard : new long[] {LastHeard.UNKNOWN, 0, 1L << 40}) {
            MembershipRequest.Silence question = new MembershipRequest.Silence(ONE, 9, OTHER, heard);
            byte[] frame = FrameCodec.encode(HEADER, question).toBytes();
            assertThat(decoded(frame)).isEqualTo(question);
            assertThat(decoded(Arrays.copyOf(frame, frame.length - 24)))
                    .isEqualTo(new MembershipRequest.Report(ONE, 9));
            for (int cut = 1; cut < 24; cut++) {
                byte[] part = Arrays.copyOf(frame, frame.length - cut);
                assertThatThrownBy(() -> FrameCodec.decodeRequest(part, NAMES)).isInstanceOf(FrameException.class);
            }
            LastHeard reply = new LastHeard(heard, heard == 0, heard == 0 ? PartitionSet.empty() : PartitionSet.of(3));
            assertThat(decodedReply(FrameCodec.encode(HEADER, reply), question)).isEqualTo(reply);
        }
        assertMalformed(new MembershipRequest.Silence(ONE, 9, OTHER, -2), "must not be negative");
    }

    @Test
    void aFullPartFitsAFrame() {
        byte[] frame = FrameCodec.encode(HEADER, new LogPart(ONE, OTHER, 8, 0, 16, FULL))
                .toBytes();
        assertThat(frame.length).isLessThan(FrameCodec.FRAME_OVERHEAD);
        assertThat(((LogPart) decoded(frame)).bytes()).isEqualTo(FULL);
    }

    @Test
    void truncatedMessagesAreMalformed() {
        messages().forEach((request, replies) -> {
            byte[] frame = FrameCodec.encode(HEADER, request).toBytes();
            for (int length = frame.length - 1; length > Math.max(0, frame.length - 60); length--) {
                byte[] cut = Arrays.copyOf(frame, length);
                assertThatThrownBy(() -> FrameCodec.decodeRequest(cut, NAMES)).isInstanceOf(FrameException.class);
            }
            for (MembershipReply reply : replies) {
                byte[] answer = FrameCodec.encode(HEADER, reply);
                byte[] cut = Arrays.copyOf(answer, answer.length - 1);
                assertThatThrownBy(() -> FrameCodec.decodeReply(cut, request, NAMES))
                        .isInstanceOf(FrameException.class);
            }
        });
    }

    @Test
    void lengthsAndNumbersOutOfRangeAreMalformed() {
        assertMalformed(new MembershipRequest.Found(new byte[MembershipRequest.MAX_BYTES + 1]), "at most 131072 bytes");
        assertMalformed(new LogPart(ONE, OTHER, 1, 2, 2, BYTES), "part 2 of 2");
        assertMalformed(new LogPart(ONE, OTHER, 1, 0, 17, FULL), "at most 16");
        assertMalformed(new LogPart(ONE, OTHER, 1, 0, 2, BYTES), "has 131072 bytes, not 3");
        assertMalformed(new MembershipRequest.State(Optional.empty(), -1, 0, 0), "must not be negative");
    }

    @Test
    void partsThatDoNotFitTheirStateAreMalformed() {
        MembershipRequest.State request = new MembershipRequest.State(Optional.empty(), 0, 5, 10);
        assertMalformed(new MembershipReply.StatePart(Optional.of(ONE), 5, 12, BYTES), request, "a state of 12 bytes");
        assertMalformed(new MembershipReply.StatePart(Optional.of(ONE), 5, 12, new byte[0]), request, "0 bytes from");
        assertMalformed(
                new MembershipReply.StatePart(Optional.of(ONE), 5, TopologyLog.MAX_SNAPSHOT_BYTES + 1, BYTES),
                request,
                "at most 16777216 bytes");
    }

    @Test
    void otherFramesAreNotAboutMembership() {
        assertThat(FrameCodec.isAboutMembership(new byte[0])).isFalse();
        assertThat(FrameCodec.isAboutMembership(
                        FrameCodec.encode(HEADER, new Request.Ping()).toBytes()))
                .isFalse();
        assertThat(FrameCodec.isAboutMembership(FrameCodec.encode(HEADER, new MembershipReply.Taken())))
                .isFalse();
    }

    private static Request decoded(byte[] frame) {
        try {
            return FrameCodec.decodeRequest(frame, NAMES).message();
        } catch (FrameException e) {
            throw new AssertionError(e);
        }
    }

    private static Reply decodedReply(byte[] frame, Request request) {
        try {
            return FrameCodec.decodeReply(frame, request, NAMES).message();
        } catch (FrameException e) {
            throw new AssertionError(e);
        }
    }

    private static void assertMalformed(MembershipRequest request, String message) {
        byte[] frame = FrameCodec.encode(HEADER, request).toBytes();
        assertThatThrownBy(() -> FrameCodec.decodeRequest(frame, NAMES))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining(message);
    }

    private static void assertMalformed(MembershipReply reply, MembershipRequest request, String message) {
        byte[] frame = FrameCodec.encode(HEADER, reply);
        assertThatThrownBy(() -> FrameCodec.decodeReply(frame, request, NAMES))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining(message);
    }
}
