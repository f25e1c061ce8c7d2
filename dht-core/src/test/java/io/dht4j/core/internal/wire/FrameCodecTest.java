package io.dht4j.core.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.wire.RepairRequest.Detail;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Frame;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FrameCodecTest {

    private static final FrameHeader HEADER = new FrameHeader(
            new NodeId("n1"), Optional.of(new NodeId("node-2")), -12345, 7, Version.of(1_700_000_000_000L, 3), -5);
    private static final NodeIds KNOWN = new NodeIds(List.of(new NodeId("n1"), new NodeId("n3")));
    private static final int HEAD_BYTES = 3 + 3 + 7 + 4 * 8;
    private static final Key KEY = Key.of("key");
    private static final Key LONGEST = Key.of("k".repeat(Key.MAX_LENGTH));
    private static final Version VERSION = Version.of(99, 1);
    private static final Entry VALUE = Entry.value(KEY, VERSION, new byte[] {1, 2, 3}, Entry.NEVER);
    private static final Entry EXPIRING = Entry.value(LONGEST, VERSION, new byte[0], 1234);
    private static final Entry TOMBSTONE = Entry.tombstone(KEY, VERSION);

    private static final Request.ReadKeys READ =
            new Request.ReadKeys(List.of(new Request.Query(KEY, true), new Request.Query(LONGEST, false)), 4096);
    private static final Request.ApplyEntries APPLY = new Request.ApplyEntries(List.of(VALUE, TOMBSTONE));
    private static final Request.Batch BATCH = new Request.Batch(
            List.of(new Request.Part(READ, 1), new Request.Part(APPLY, Long.MAX_VALUE), new Request.Part(APPLY, 7)),
            1 << 20,
            1 << 16);
    private static final Reply.Batch BATCHED = new Reply.Batch(List.of(
            new Reply.Found(List.of(new Answer.Whole(VALUE), new Answer.Absent())),
            new Reply.Failed(ErrorCode.OVERLOADED, "too much"),
            Reply.Applied.AS_NEWEST));

    private static byte[] encode(Request request) {
        return FrameCodec.encode(HEADER, request).toBytes();
    }

    private static byte[] encode(Reply reply) {
        return FrameCodec.encode(HEADER, reply);
    }

    private static FrameCodec.Decoded<Request> decodeRequest(byte[] frame) throws FrameException {
        return FrameCodec.decodeRequest(frame, KNOWN);
    }

    private static FrameCodec.Decoded<Reply> decodeReply(byte[] frame, Request request) throws FrameException {
        return FrameCodec.decodeReply(frame, request, KNOWN);
    }

    private static BatchReader openReplies(byte[] frame, int parts) throws FrameException {
        return FrameCodec.openReplies(frame, parts, KNOWN);
    }

    @Test
    void largeValueStandsInItsFrameWithoutACopy() {
        Request.ApplyEntries request = new Request.ApplyEntries(List.of(VALUE));
        Frame frame = FrameCodec.encodeLarge(HEADER, request);
        assertThat(frame.body()).isSameAs(VALUE.value());
        assertThat(frame.toBytes()).isEqualTo(encode(request));
    }

    static Stream<Request> requests() {
        PartitionSet partitions = PartitionSet.of(3, 1000);
        return Stream.of(
                new Request.Ping(),
                new Request.ReadKeys(List.of(), 0),
                new Request.ReadKeys(List.of(new Request.Query(KEY, true), new Request.Query(LONGEST, false)), 4096),
                new Request.ApplyEntries(List.of(VALUE, EXPIRING, TOMBSTONE)),
                new Request.ScanPage(KeyRange.all(), PartitionSet.empty(), 10, 20),
                new Request.ScanPage(KeyRange.between(KEY, LONGEST), partitions, 1000, 1 << 20),
                new Request.RefillPage(new Request.ScanPage(KeyRange.between(KEY, LONGEST), partitions, 1000, 1 << 20)),
                new RepairRequest.Sums(partitions, Detail.BUCKETS, VERSION),
                new RepairRequest.Sums(PartitionSet.empty(), Detail.PARTITIONS, new Version(0)),
                new RepairRequest.Sums(partitions, Detail.WATERMARKS, new Version(0)),
                new RepairRequest.Versions(
                        KEY, List.of(new RepairRequest.Buckets(7, -1), new RepairRequest.Buckets(9, 1))),
                new RepairRequest.Prepare(partitions, VERSION),
                new RepairRequest.Decision(partitions, VERSION, new Version(0)),
                new RepairRequest.Watermarks("n1", partitions, List.of(0L, 7L)),
                new RepairRequest.Entries(List.of(new Request.Query(KEY, true), new Request.Query(LONGEST, false))),
                new Request.OpenSnapshot(VERSION, 60_000_000_000L),
                new Request.FixSnapshot(VERSION, new Version(-1)),
                new Request.SnapshotPage(
                        VERSION, new Request.ScanPage(KeyRange.between(KEY, LONGEST), partitions, 1000, 1 << 20)),
                new Request.RenewSnapshot(VERSION),
                new Request.EndSnapshot(VERSION),
                BATCH,
                new Request.Batch(List.of(), 0, 0));
    }

    static Stream<Reply> replies() {
        return Stream.of(
                new Reply.Pong(),
                Reply.Applied.AS_NEWEST,
                new Reply.Applied(List.of(new Reply.Newer(0, VERSION), new Reply.Newer(1, Version.of(3, 4)))),
                new Reply.Found(List.of(
                        new Answer.Absent(),
                        new Answer.Whole(VALUE),
                        new Answer.Whole(TOMBSTONE),
                        new Answer.VersionOnly(VERSION, 5_000_000, -3))),
                new Reply.Page(List.of(VALUE, Entry.tombstone(Key.of("keys"), VERSION)), Optional.of(LONGEST)),
                new Reply.Page(List.of(), Optional.empty()),
                new Reply.SnapshotOpened(VERSION),
                new Reply.SnapshotDone(),
                new Reply.OtherSettings(new ClusterSettings(Map.of("nodes", "n1, n2", "partitions", "64"))),
                new Reply.Failed(ErrorCode.OVERLOADED, "too much: ü"),
                new RepairReply.Sums(true, List.of(1L, -2L), List.of(3L, 4L), List.of(5L, Long.MIN_VALUE)),
                new RepairReply.Versions(List.of(new RepairReply.Held(KEY, VERSION, -7)), Optional.of(LONGEST)),
                new RepairReply.Versions(List.of(), Optional.empty()),
                new RepairReply.Vote(PartitionSet.of(0, 2)),
                new RepairReply.Acknowledged(),
                new RepairReply.Watermarks(List.of(9L)),
                BATCHED);
    }

    private static Request requestFor(Reply reply) {
        if (reply instanceof Reply.Found) {
            Request.Query query = new Request.Query(KEY, true);
            return new Request.ReadKeys(List.of(query, query, query, query), 0);
        }
        if (reply instanceof Reply.Batch) {
            return BATCH;
        }
        if (reply instanceof Reply.SnapshotOpened) {
            return new Request.OpenSnapshot(VERSION, 1);
        }
        if (reply instanceof Reply.SnapshotDone) {
            return new Request.FixSnapshot(VERSION, VERSION);
        }
        if (reply instanceof Reply.Applied) {
            return APPLY;
        }
        if (reply instanceof RepairReply) {
            return repairRequestFor(reply);
        }
        return reply instanceof Reply.Page
                ? new Request.ScanPage(KeyRange.all(), PartitionSet.empty(), 2, 1)
                : new Request.Ping();
    }

    private static Request repairRequestFor(Reply reply) {
        PartitionSet two = PartitionSet.of(0, 1);
        if (reply instanceof RepairReply.Sums) {
            return new RepairRequest.Sums(two, Detail.PARTITIONS, VERSION);
        }
        if (reply instanceof RepairReply.Versions) {
            return new RepairRequest.Versions(KEY, List.of());
        }
        if (reply instanceof RepairReply.Watermarks) {
            return new RepairRequest.Watermarks("n1", two, List.of(0L));
        }
        return reply instanceof RepairReply.Vote
                ? new RepairRequest.Prepare(two, VERSION)
                : new RepairRequest.Decision(two, VERSION, VERSION);
    }

    @Test
    void sumsOfAnotherNumberOfPartitionsAreMalformed() {
        byte[] frame = encode(new RepairReply.Sums(true, List.of(1L, 2L, 3L), List.of(3L, 4L), List.of(5L, 6L)));
        PartitionSet two = PartitionSet.of(0, 1);
        assertThat(codeOf(() -> decodeReply(frame, new RepairRequest.Sums(two, Detail.PARTITIONS, VERSION))))
                .isEqualTo(ErrorCode.MALFORMED_FRAME);
        assertThat(codeOf(() -> decodeReply(frame, new RepairRequest.Sums(two, Detail.BUCKETS, VERSION))))
                .isEqualTo(ErrorCode.MALFORMED_FRAME);
    }

    @Test
    void sumsOfBucketsComeWithoutHowFarTheirPartitionsReach() throws FrameException {
        RepairRequest.Sums request = new RepairRequest.Sums(PartitionSet.of(0, 1), Detail.BUCKETS, VERSION);
        RepairReply.Sums bare = new RepairReply.Sums(false, List.of(1L, 2L, 3L, 4L), List.of(), List.of());
        assertThat(decodeReply(encode(bare), request).message()).isEqualTo(bare);
        byte[] reaching =
                encode(new RepairReply.Sums(false, List.of(1L, 2L, 3L, 4L), List.of(3L, 4L), List.of(5L, 6L)));
        assertThat(codeOf(() -> decodeReply(reaching, request))).isEqualTo(ErrorCode.MALFORMED_FRAME);
    }

    @Test
    void howFarPartitionsReachComesWithoutSums() throws FrameException {
        RepairRequest.Sums request = new RepairRequest.Sums(PartitionSet.of(0, 1), Detail.WATERMARKS, new Version(0));
        RepairReply.Sums reach = new RepairReply.Sums(false, List.of(), List.of(3L, 4L), List.of(5L, 6L));
        assertThat(decodeReply(encode(reach), request).message()).isEqualTo(reach);
        byte[] summed = encode(new RepairReply.Sums(false, List.of(1L, 2L), List.of(3L, 4L), List.of(5L, 6L)));
        assertThat(codeOf(() -> decodeReply(summed, request))).isEqualTo(ErrorCode.MALFORMED_FRAME);
    }

    @ParameterizedTest
    @MethodSource("requests")
    void aRequestComesBackAsItWas(Request request) throws FrameException {
        FrameCodec.Decoded<Request> frame = decodeRequest(encode(request));
        assertThat(frame.header()).isEqualTo(HEADER);
        assertThat(frame.message()).isEqualTo(request);
    }

    @ParameterizedTest
    @MethodSource("replies")
    void aReplyComesBackAsItWas(Reply reply) throws FrameException {
        FrameCodec.Decoded<Reply> frame = decodeReply(encode(reply), requestFor(reply));
        assertThat(frame.header()).isEqualTo(HEADER);
        assertThat(frame.message()).isEqualTo(reply);
    }

    @ParameterizedTest
    @MethodSource("requests")
    void aRequestCutAnywhereIsMalformed(Request request) {
        byte[] frame = encode(request);
        for (int length = 0; length < Math.min(frame.length, 300); length++) {
            byte[] cut = Arrays.copyOf(frame, length);
            assertThat(codeOf(() -> decodeRequest(cut))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        }
        byte[] longer = Arrays.copyOf(frame, frame.length + 1);
        assertThat(codeOf(() -> decodeRequest(longer))).isEqualTo(ErrorCode.MALFORMED_FRAME);
    }

    @Test
    void anotherProtocolVersionIsNamed() {
        byte[] frame = encode(new Request.Ping());
        frame[0] = 9;
        assertThatThrownBy(() -> decodeRequest(frame))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("protocol version 9 is not supported; this node speaks 2");
        assertThat(codeOf(() -> decodeRequest(frame))).isEqualTo(ErrorCode.UNSUPPORTED_PROTOCOL);
    }

    @Test
    void aFlagOfALaterVersionIsRefusedSinceItsSenderCountsOnIt() {
        byte[] frame = encode(new Request.Ping());
        frame[2] = 1;
        assertThat(codeOf(() -> decodeRequest(frame))).isEqualTo(ErrorCode.UNSUPPORTED_PROTOCOL);
    }

    @Test
    void aHeadDiffersByRecipientAndABodyDoesNot() throws FrameException {
        FrameHeader other = new FrameHeader(
                HEADER.sender(),
                Optional.of(new NodeId("n3")),
                HEADER.settings(),
                7,
                HEADER.clock(),
                HEADER.wallMillis());
        byte[] body = FrameCodec.body(APPLY);
        Frame one = new Frame(FrameCodec.head(HEADER, APPLY), body);
        Frame two = new Frame(FrameCodec.head(other, APPLY), body);
        assertThat(one.head()).isNotEqualTo(two.head());
        assertThat(decodeRequest(two.toBytes()).header()).isEqualTo(other);
        assertThat(FrameCodec.header(two.toBytes(), KNOWN)).isEqualTo(other);
        assertThat(decodeRequest(one.toBytes()).message()).isEqualTo(APPLY);
    }

    @Test
    void frameForOneRecipientHasOnePartOfTheSameBytes() {
        Frame frame = FrameCodec.encode(HEADER, APPLY);
        assertThat(frame.head()).isEmpty();
        assertThat(frame.body()).isEqualTo(new Frame(FrameCodec.head(HEADER, APPLY), FrameCodec.body(APPLY)).toBytes());
    }

    @Test
    void whoSendsAndForWhomMustBeNamedInARequest() {
        FrameHeader nobody = new FrameHeader(HEADER.sender(), Optional.empty(), 0, 7, HEADER.clock(), 0);
        assertThat(codeOf(() -> decodeRequest(
                        FrameCodec.encode(nobody, new Request.Ping()).toBytes())))
                .isEqualTo(ErrorCode.MALFORMED_FRAME);
        byte[] frame = encode(new Request.Ping());
        frame[4] = ' ';
        assertThat(codeOf(() -> decodeRequest(frame))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        frame[3] = 0;
        assertThat(codeOf(() -> decodeRequest(frame))).isEqualTo(ErrorCode.MALFORMED_FRAME);
    }

    @Test
    void namesAreFoundWhateverTheirHashesAre() {
        List<NodeId> ids = IntStream.range(0, 3_000)
                .mapToObj(i -> new NodeId("n" + Integer.toString(i * 7_919, 36)))
                .toList();
        NodeIds names = new NodeIds(ids);
        for (NodeId id : ids) {
            byte[] bytes = ("-" + id + "-").getBytes(StandardCharsets.US_ASCII);
            assertThat(names.find(bytes, 1, bytes.length - 2)).isSameAs(id);
        }
        assertThat(names.find(new byte[] {'x'}, 0, 1)).isEqualTo(new NodeId("x"));
        assertThat(new NodeIds(List.of()).find(new byte[] {'x'}, 0, 1)).isEqualTo(new NodeId("x"));
    }

    @Test
    void pagesThatAreOutOfOrderOrRangeOrDoNotAdvanceAreMalformed() throws FrameException {
        Request.ScanPage scan =
                new Request.ScanPage(KeyRange.between(Key.of("b"), Key.of("f")), PartitionSet.empty(), 3, 1000);
        List<Request> requests = List.of(scan, new Request.RefillPage(scan), new Request.SnapshotPage(VERSION, scan));
        for (Request request : requests) {
            for (Reply.Page good :
                    List.of(page("bcd", "e"), page("", "c"), page("b", "ba"), page("e", ""), page("", ""))) {
                assertThat(decodeReply(encode(good), request).message()).isEqualTo(good);
            }
            for (Reply.Page bad : List.of(
                    page("cb", ""),
                    page("bb", ""),
                    page("a", ""),
                    page("f", ""),
                    page("bcde", ""),
                    page("", "b"),
                    page("", "a"),
                    page("bcd", "d"),
                    page("bcd", "c"),
                    page("b", "f"))) {
                byte[] frame = encode(bad);
                assertThat(codeOf(() -> decodeReply(frame, request)))
                        .as("%s", bad)
                        .isEqualTo(ErrorCode.MALFORMED_FRAME);
            }
        }
    }

    /** A page of keys of one letter each, and where the next one starts, if there is one. */
    private static Reply.Page page(String keys, String resume) {
        return new Reply.Page(
                keys.chars()
                        .mapToObj(each -> Entry.tombstone(Key.of(Character.toString(each)), VERSION))
                        .toList(),
                resume.isEmpty() ? Optional.empty() : Optional.of(Key.of(resume)));
    }

    @Test
    void versionsThatAreOutOfOrderOrDoNotAdvanceAreMalformed() {
        RepairRequest.Versions request = new RepairRequest.Versions(KEY, List.of());
        RepairReply.Held first = new RepairReply.Held(KEY, VERSION, 1);
        RepairReply.Held second = new RepairReply.Held(LONGEST, VERSION, 1);
        for (RepairReply.Versions bad : List.of(
                new RepairReply.Versions(List.of(second, first), Optional.empty()),
                new RepairReply.Versions(List.of(first, first), Optional.empty()),
                new RepairReply.Versions(List.of(new RepairReply.Held(Key.of("a"), VERSION, 1)), Optional.empty()),
                new RepairReply.Versions(List.of(), Optional.of(KEY)),
                new RepairReply.Versions(List.of(first, second), Optional.of(LONGEST)))) {
            byte[] frame = encode(bad);
            assertThat(codeOf(() -> decodeReply(frame, request))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        }
    }

    @Test
    void newerVersionsOfEntriesThatWereNotSentAreMalformed() {
        for (List<Reply.Newer> wrong : List.of(
                List.of(new Reply.Newer(2, VERSION)),
                List.of(new Reply.Newer(1, VERSION), new Reply.Newer(0, VERSION)),
                List.of(new Reply.Newer(0, VERSION), new Reply.Newer(0, VERSION)),
                List.of(new Reply.Newer(0, VERSION), new Reply.Newer(1, VERSION), new Reply.Newer(1, VERSION)))) {
            byte[] frame = encode(new Reply.Applied(wrong));
            assertThat(codeOf(() -> decodeReply(frame, APPLY))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        }
    }

    @Test
    void aReplyOfTheWrongKindIsMalformed() {
        byte[] frame = encode(new Reply.Pong());
        assertThat(codeOf(() -> decodeReply(frame, new Request.ApplyEntries(List.of()))))
                .isEqualTo(ErrorCode.MALFORMED_FRAME);
    }

    @Test
    void anErrorCodeOfANewerVersionReadsAsInternal() throws FrameException {
        byte[] frame = encode(new Reply.Failed(ErrorCode.OVERLOADED, ""));
        frame[frame.length - 4] = (byte) 0xFF;
        assertThat(decodeReply(frame, new Request.Ping()).message())
                .isEqualTo(new Reply.Failed(ErrorCode.INTERNAL, ""));
    }

    @Test
    void whateverTheBytesAreTheyAreAFrameOrAnError() {
        SplittableRandom random = new SplittableRandom(42);
        List<byte[]> frames = requests().map(request -> encode(request)).toList();
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes = frames.get(random.nextInt(frames.size())).clone();
            int flips = 1 + random.nextInt(8);
            for (int flip = 0; flip < flips; flip++) {
                bytes[random.nextInt(Math.min(bytes.length, 100))] = (byte) random.nextInt();
            }
            Throwable thrown = catchThrowable(() -> decodeRequest(bytes));
            assertThat(thrown == null || thrown instanceof FrameException)
                    .as("iteration %d threw %s", i, thrown)
                    .isTrue();
        }
    }

    @Test
    void whateverTheBytesOfAReplyAreTheyAreAFrameOrAnError() {
        SplittableRandom random = new SplittableRandom(43);
        List<Reply> replies = replies().toList();
        for (int i = 0; i < 200_000; i++) {
            Reply reply = replies.get(random.nextInt(replies.size()));
            byte[] bytes = encode(reply);
            int flips = 1 + random.nextInt(8);
            for (int flip = 0; flip < flips; flip++) {
                bytes[random.nextInt(Math.min(bytes.length, 100))] = (byte) random.nextInt();
            }
            Throwable thrown = catchThrowable(() -> decodeReply(bytes, requestFor(reply)));
            assertThat(thrown == null || thrown instanceof FrameException)
                    .as("iteration %d threw %s", i, thrown)
                    .isTrue();
        }
    }

    @Test
    void aPartOfAReplyThatIsMalformedSpoilsNoOther() throws FrameException {
        byte[] bytes = encode(BATCHED);
        // The number of answers in the first part: behind the header, the count, and the part's type and length.
        bytes[HEAD_BYTES + 4 + 5 + 3] = 9;
        BatchReader in = openReplies(bytes, 3);
        assertThat(codeOf(() -> in.next(READ))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        assertThat(in.next(APPLY)).isEqualTo(BATCHED.replies().get(1));
        assertThat(in.next(APPLY)).isEqualTo(BATCHED.replies().get(2));
        in.end();
    }

    @Test
    void aPartOfAReplyMayBePassedOver() throws FrameException {
        BatchReader in = openReplies(encode(BATCHED), 3);
        in.skip();
        in.skip();
        assertThat(in.next(APPLY)).isEqualTo(Reply.Applied.AS_NEWEST);
        in.end();
        assertThat(codeOf(in::skip)).isEqualTo(ErrorCode.MALFORMED_FRAME);
    }

    @Test
    void aBatchIsRefusedAsAWhole() throws FrameException {
        Reply.Failed refusal = new Reply.Failed(ErrorCode.STALE_TOPOLOGY, "old");
        BatchReader in = openReplies(encode(refusal), 3);
        assertThat(in.refusal()).contains(refusal);
        assertThat(in.header()).isEqualTo(HEADER);
    }

    @Test
    void aReplyToAnotherNumberOfPartsIsMalformed() {
        byte[] bytes = encode(BATCHED);
        assertThat(codeOf(() -> openReplies(bytes, 2))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        assertThat(codeOf(() -> openReplies(bytes, 4))).isEqualTo(ErrorCode.MALFORMED_FRAME);
    }

    @Test
    void aBatchHoldsReadsAndWritesOnly() {
        for (Request inner : List.of(new Request.Ping(), new Request.Batch(List.of(), 0, 0))) {
            byte[] bytes =
                    encode(new Request.Batch(List.of(new Request.Part(inner, 1), new Request.Part(READ, 1)), 0, 0));
            assertThat(codeOf(() -> decodeRequest(bytes))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        }
    }

    @Test
    void aPartWithoutTimeIsMalformed() {
        byte[] bytes = encode(new Request.Batch(List.of(new Request.Part(READ, 0)), 0, 0));
        assertThat(codeOf(() -> decodeRequest(bytes))).isEqualTo(ErrorCode.MALFORMED_FRAME);
    }

    @Test
    void thePartsOfABatchTogetherHaveNoMoreItemsThanAMessageMayHave() throws FrameException {
        Request.Query query = new Request.Query(KEY, true);
        Request.Part half =
                new Request.Part(new Request.ReadKeys(Collections.nCopies(FrameCodec.MAX_ITEMS / 2, query), 0), 1);
        Request.Part one = new Request.Part(new Request.ReadKeys(List.of(query), 0), 1);
        Request.Batch most = new Request.Batch(List.of(half, half), 0, 0);
        assertThat(decodeRequest(encode(most)).message()).isEqualTo(most);
        byte[] tooMany = encode(new Request.Batch(List.of(half, one, half), 0, 0));
        assertThat(codeOf(() -> decodeRequest(tooMany))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        Request.Part none = new Request.Part(new Request.ReadKeys(List.of(), 0), 1);
        byte[] tooManyParts = encode(new Request.Batch(Collections.nCopies(FrameCodec.MAX_ITEMS + 1, none), 0, 0));
        assertThat(codeOf(() -> decodeRequest(tooManyParts))).isEqualTo(ErrorCode.MALFORMED_FRAME);
    }

    @Test
    void theMessagesOfManyFailedPartsDoNotLetAFrameOutgrowItsLimit() throws FrameException {
        Reply.Failed failed = new Reply.Failed(ErrorCode.STORE_FAILED, "ü".repeat(1000));
        int parts = FrameCodec.MAX_ITEMS;
        byte[] bytes = encode(new Reply.Batch(Collections.nCopies(parts, failed)));
        assertThat(bytes.length).isLessThan(FrameCodec.FRAME_OVERHEAD);
        BatchReader in = openReplies(bytes, parts);
        assertThat(((Reply.Failed) in.next(APPLY)).message()).startsWith("üüü");
        for (int i = 1; i < parts; i++) {
            assertThat(((Reply.Failed) in.next(APPLY)).code()).isEqualTo(ErrorCode.STORE_FAILED);
        }
        in.end();
    }

    private static ErrorCode codeOf(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        assertThat(thrown).isInstanceOf(FrameException.class);
        return ((FrameException) thrown).code();
    }
}
