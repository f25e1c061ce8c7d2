package io.dht4j.core.internal.wire.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.dht4j.AtomicChange;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.NodeId;
import io.dht4j.RequestId;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.Executed;
import io.dht4j.core.internal.atomic.Operation;
import io.dht4j.core.internal.atomic.Register;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.core.internal.wire.ClusterSettings;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.core.internal.wire.RegisterReply;
import io.dht4j.core.internal.wire.RegisterRequest;
import io.dht4j.core.internal.wire.RepairReply;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.core.internal.wire.RepairRequest.Detail;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.Entry;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Messages of every type, their frames and the errors of these. */
final class FrameExamples {

    static final FrameHeader HEADER = new FrameHeader(
            new NodeId("n1"), Optional.of(new NodeId("node-2")), -12345, 7, Version.of(1_700_000_000_000L, 3), -5);
    static final NodeIds KNOWN = new NodeIds(List.of(new NodeId("n1"), new NodeId("n3")));
    static final Key KEY = Key.of("key");
    static final Key LONGEST = Key.of("k".repeat(Key.MAX_LENGTH));
    static final Version VERSION = Version.of(99, 1);
    static final Entry VALUE = Entry.value(KEY, VERSION, new byte[] {1, 2, 3}, Entry.NEVER);
    static final Entry EXPIRING = Entry.value(LONGEST, VERSION, new byte[0], 1234);
    static final Entry TOMBSTONE = Entry.tombstone(KEY, VERSION);

    static final Operation OPERATION = new Operation(
            RequestId.of(VERSION.millis(), -1, 2), AtomicChange.replace(VERSION, new byte[] {1, 2}, 1_000));

    static final Request.ReadKeys READ =
            new Request.ReadKeys(List.of(new Request.Query(KEY, true), new Request.Query(LONGEST, false)), 4096);
    static final Request.ApplyEntries APPLY = new Request.ApplyEntries(List.of(VALUE, TOMBSTONE));
    static final Request.Batch BATCH = new Request.Batch(
            List.of(new Request.Part(READ, 1), new Request.Part(APPLY, Long.MAX_VALUE), new Request.Part(APPLY, 7)),
            1 << 20,
            1 << 16);
    static final Reply.Batch BATCHED = new Reply.Batch(List.of(
            new Reply.Found(List.of(new Answer.Whole(VALUE), new Answer.Absent())),
            new Reply.Failed(ErrorCode.OVERLOADED, "too much"),
            Reply.Applied.AS_NEWEST));

    private FrameExamples() {}

    static byte[] encode(Request request) {
        return FrameCodec.encode(HEADER, request).toBytes();
    }

    static byte[] encode(Reply reply) {
        return FrameCodec.encode(HEADER, reply);
    }

    static FrameCodec.Decoded<Request> decodeRequest(byte[] frame) throws FrameException {
        return FrameCodec.decodeRequest(frame, KNOWN);
    }

    static FrameCodec.Decoded<Reply> decodeReply(byte[] frame, Request request) throws FrameException {
        return FrameCodec.decodeReply(frame, request, KNOWN);
    }

    static BatchReader openReplies(byte[] frame, int parts) throws FrameException {
        return FrameCodec.openReplies(frame, parts, KNOWN);
    }

    static Stream<Request> requests() {
        PartitionSet partitions = PartitionSet.of(3, 1000);
        return Stream.of(
                new Request.Ping(),
                new Request.Features(),
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
                new RegisterRequest.Prepare(KEY, VERSION),
                new RegisterRequest.Accept(VALUE, VERSION),
                new RegisterRequest.Read(LONGEST),
                new RegisterRequest.Execute(KEY, OPERATION),
                new Request.Batch(
                        List.of(
                                new Request.Part(new RegisterRequest.Prepare(KEY, VERSION), 1),
                                new Request.Part(new RegisterRequest.Accept(VALUE, VERSION), 1),
                                new Request.Part(new RegisterRequest.Read(KEY), 1)),
                        7,
                        8),
                new RepairRequest.Sums(partitions, Detail.PROMISES, new Version(0)),
                BATCH,
                new Request.Batch(List.of(), 0, 0));
    }

    static Stream<Reply> replies() {
        return Stream.of(
                new Reply.Pong(),
                new Reply.Features(Reply.Features.TRACES),
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
                new Reply.SnapshotLacks(PartitionSet.of(3)),
                new Reply.OtherSettings(new ClusterSettings(Map.of("nodes", "n1, n2", "partitions", "64"))),
                new Reply.Failed(ErrorCode.OVERLOADED, "too much: ü"),
                new RepairReply.Sums(true, List.of(1L, -2L), List.of(3L, 4L), List.of(5L, Long.MIN_VALUE)),
                new RepairReply.Versions(List.of(new RepairReply.Held(KEY, VERSION, -7)), Optional.of(LONGEST)),
                new RepairReply.Versions(List.of(), Optional.empty()),
                new RepairReply.Vote(PartitionSet.of(0, 2)),
                new RepairReply.Acknowledged(),
                new RepairReply.Watermarks(List.of(9L)),
                new RegisterReply.Promised(VERSION, new Answer.Absent()),
                new RegisterReply.Accepted(true),
                new RegisterReply.Accepted(false),
                new RegisterReply.Refused(VERSION),
                new RegisterReply.Held(VERSION, new Answer.Whole(VALUE)),
                new RegisterReply.Outcome(
                        new Executed(OPERATION.id(), 77, VERSION, Executed.Outcome.CONDITION_FAILED, -4),
                        new Register(
                                Register.Kind.VALUE, VERSION, 77, Register.NEVER_CHANGED, List.of(), new byte[] {5})),
                new RegisterReply.Unknown(VERSION),
                BATCHED);
    }

    static Request requestFor(Reply reply) {
        if (reply instanceof Reply.Found) {
            Request.Query query = new Request.Query(KEY, true);
            return new Request.ReadKeys(List.of(query, query, query, query), 0);
        }
        if (reply instanceof Reply.Batch) {
            return BATCH;
        }
        if (reply instanceof Reply.Features) {
            return new Request.Features();
        }
        if (reply instanceof Reply.SnapshotOpened) {
            return new Request.OpenSnapshot(VERSION, 1);
        }
        if (reply instanceof Reply.SnapshotDone) {
            return new Request.FixSnapshot(VERSION, VERSION);
        }
        if (reply instanceof Reply.SnapshotLacks lacks) {
            return new Request.SnapshotPage(VERSION, new Request.ScanPage(KeyRange.all(), lacks.partitions(), 2, 1));
        }
        if (reply instanceof Reply.Applied) {
            return APPLY;
        }
        if (reply instanceof RegisterReply register) {
            return registerRequestFor(register);
        }
        if (reply instanceof RepairReply) {
            return repairRequestFor(reply);
        }
        return reply instanceof Reply.Page
                ? new Request.ScanPage(KeyRange.all(), PartitionSet.empty(), 2, 1)
                : new Request.Ping();
    }

    private static Request registerRequestFor(RegisterReply reply) {
        if (reply instanceof RegisterReply.Accepted) {
            return new RegisterRequest.Accept(VALUE, VERSION);
        }
        if (reply instanceof RegisterReply.Held) {
            return new RegisterRequest.Read(KEY);
        }
        return reply instanceof RegisterReply.Outcome || reply instanceof RegisterReply.Unknown
                ? new RegisterRequest.Execute(KEY, OPERATION)
                : new RegisterRequest.Prepare(KEY, VERSION);
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

    static ErrorCode codeOf(ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        assertThat(thrown).isInstanceOf(FrameException.class);
        return ((FrameException) thrown).code();
    }
}
