package io.dht4j.core.internal.wire.codec;

import static io.dht4j.core.internal.wire.codec.FrameExamples.APPLY;
import static io.dht4j.core.internal.wire.codec.FrameExamples.KEY;
import static io.dht4j.core.internal.wire.codec.FrameExamples.LONGEST;
import static io.dht4j.core.internal.wire.codec.FrameExamples.VERSION;
import static io.dht4j.core.internal.wire.codec.FrameExamples.codeOf;
import static io.dht4j.core.internal.wire.codec.FrameExamples.decodeReply;
import static io.dht4j.core.internal.wire.codec.FrameExamples.encode;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.RepairReply;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.core.internal.wire.RepairRequest.Detail;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.Entry;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Replies that do not fit their request. */
class FrameReplyChecksTest {

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
    void bucketSumsHaveNoWatermarks() throws FrameException {
        RepairRequest.Sums request = new RepairRequest.Sums(PartitionSet.of(0, 1), Detail.BUCKETS, VERSION);
        RepairReply.Sums bare = new RepairReply.Sums(false, List.of(1L, 2L, 3L, 4L), List.of(), List.of());
        assertThat(decodeReply(encode(bare), request).message()).isEqualTo(bare);
        byte[] reaching =
                encode(new RepairReply.Sums(false, List.of(1L, 2L, 3L, 4L), List.of(3L, 4L), List.of(5L, 6L)));
        assertThat(codeOf(() -> decodeReply(reaching, request))).isEqualTo(ErrorCode.MALFORMED_FRAME);
    }

    @Test
    void watermarksComeWithoutSums() throws FrameException {
        RepairRequest.Sums request = new RepairRequest.Sums(PartitionSet.of(0, 1), Detail.WATERMARKS, new Version(0));
        RepairReply.Sums reach = new RepairReply.Sums(false, List.of(), List.of(3L, 4L), List.of(5L, 6L));
        assertThat(decodeReply(encode(reach), request).message()).isEqualTo(reach);
        byte[] summed = encode(new RepairReply.Sums(false, List.of(1L, 2L), List.of(3L, 4L), List.of(5L, 6L)));
        assertThat(codeOf(() -> decodeReply(summed, request))).isEqualTo(ErrorCode.MALFORMED_FRAME);
    }

    @Test
    void snapshotLacksSomeOfTheRequestedPartitions() throws FrameException {
        Request request =
                new Request.SnapshotPage(VERSION, new Request.ScanPage(KeyRange.all(), PartitionSet.of(2, 5), 3, 1000));
        for (PartitionSet good : List.of(PartitionSet.of(5), PartitionSet.of(2, 5))) {
            Reply reply = new Reply.SnapshotLacks(good);
            assertThat(decodeReply(encode(reply), request).message()).isEqualTo(reply);
        }
        for (PartitionSet bad : List.of(PartitionSet.empty(), PartitionSet.of(3), PartitionSet.of(2, 3, 5))) {
            assertThat(codeOf(() -> decodeReply(encode(new Reply.SnapshotLacks(bad)), request)))
                    .isEqualTo(ErrorCode.MALFORMED_FRAME);
        }
    }

    @Test
    @DisplayName("pages that are out of order or range, or do not advance, are malformed")
    void pagesOutOfOrderOrRangeAreMalformed() throws FrameException {
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
}
