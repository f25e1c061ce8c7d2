package io.dht4j.core.internal.wire.codec;

import io.dht4j.PrintableText;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.BatchProgress;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.MembershipReply;
import io.dht4j.core.internal.wire.MembershipReply.Outcome;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.core.internal.wire.MembershipRequest.LogPart;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.StoreSpace;
import io.dht4j.spi.TopologyLog;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The bodies of messages about membership. */
final class MembershipBody {

    private static final int UUID_BYTES = 16;
    /** Zeros: no cluster or no node. */
    private static final UUID NONE = new UUID(0, 0);

    /** The maximum number of bytes of a text: one that compares two lists of nodes is long. */
    private static final int MAX_TEXT_BYTES = 16 * 1024;

    /** The maximum number of bytes of the description of a wait. */
    private static final int MAX_WAIT_BYTES = 1024;

    private MembershipBody() {}

    private static byte[] utf8(String text) {
        return utf8(text, MAX_TEXT_BYTES);
    }

    private static byte[] utf8(String text, int maxBytes) {
        return FrameWriter.utf8(text, maxBytes);
    }

    static int type(MembershipRequest request) {
        if (request instanceof MembershipRequest.Found) {
            return FrameTypes.FOUND_CLUSTER;
        }
        if (request instanceof MembershipRequest.State) {
            return FrameTypes.CLUSTER_STATE;
        }
        if (request instanceof MembershipRequest.Report || request instanceof MembershipRequest.Silence) {
            return FrameTypes.NODE_REPORT;
        }
        if (request instanceof MembershipRequest.Admit) {
            return FrameTypes.ADMIT_NODE;
        }
        return request instanceof MembershipRequest.Append ? FrameTypes.APPEND_COMMAND : FrameTypes.LOG_PART;
    }

    static int type(MembershipReply reply) {
        if (reply instanceof MembershipReply.Founder) {
            return FrameTypes.FOUNDER;
        }
        if (reply instanceof MembershipReply.StatePart) {
            return FrameTypes.STATE_PART;
        }
        if (reply instanceof MembershipReply.Reported) {
            return FrameTypes.REPORTED;
        }
        if (reply instanceof MembershipReply.LastHeard) {
            return FrameTypes.LAST_HEARD;
        }
        return reply instanceof MembershipReply.Appended ? FrameTypes.APPENDED : FrameTypes.TAKEN;
    }

    static int size(MembershipRequest request) {
        if (request instanceof MembershipRequest.Found found) {
            return 4 + found.proposal().length;
        }
        if (request instanceof MembershipRequest.State) {
            return UUID_BYTES + 8 + 8 + 4;
        }
        if (request instanceof MembershipRequest.Append append) {
            return UUID_BYTES + 4 + append.command().length;
        }
        if (request instanceof MembershipRequest.Admit admit) {
            return UUID_BYTES + 4 + admit.proof().length;
        }
        if (request instanceof MembershipRequest.Silence) {
            return UUID_BYTES + 8 + UUID_BYTES + 8;
        }
        return request instanceof LogPart part ? 2 * UUID_BYTES + 4 + 1 + 1 + 4 + part.bytes().length : UUID_BYTES + 8;
    }

    static int size(MembershipReply reply) {
        if (reply instanceof MembershipReply.Founder founder) {
            return 2 * UUID_BYTES + 4 + founder.founders().length + 2 + utf8(founder.refusal()).length;
        }
        if (reply instanceof MembershipReply.StatePart part) {
            return UUID_BYTES + 8 + 4 + 4 + part.bytes().length;
        }
        if (reply instanceof MembershipReply.Reported reported) {
            int size = UUID_BYTES + 8 + 1 + 8 + 4 + 1 + 8 + 8 + 4 + 4;
            for (BatchProgress batch : reported.batches()) {
                size += 8 + FrameWriter.sizeOf(batch.complete()) + 8 + 8 + 2 + utf8(waitsFor(batch)).length;
            }
            for (String wait : reported.waits()) {
                size += 2 + utf8(wait, MAX_WAIT_BYTES).length;
            }
            return size;
        }
        if (reply instanceof MembershipReply.LastHeard heard) {
            return 8 + 1 + FrameWriter.sizeOf(heard.incomplete());
        }
        return reply instanceof MembershipReply.Appended appended
                ? 1 + 8 + 2 + utf8(appended.reason()).length + UUID_BYTES
                : 0;
    }

    static void write(FrameWriter out, MembershipRequest request) {
        if (request instanceof MembershipRequest.Found found) {
            write(out, found.proposal());
        } else if (request instanceof MembershipRequest.State state) {
            write(out, state.cluster().orElse(NONE))
                    .i64(state.have())
                    .i64(state.want())
                    .i32(state.offset());
        } else if (request instanceof MembershipRequest.Append append) {
            write(write(out, append.cluster()), append.command());
        } else if (request instanceof LogPart part) {
            write(write(out, part.from()), part.to())
                    .i32(part.message())
                    .u8(part.part())
                    .u8(part.parts());
            write(out, part.bytes());
        } else if (request instanceof MembershipRequest.Report report) {
            write(out, report.cluster()).i64(report.epoch());
        } else if (request instanceof MembershipRequest.Silence silence) {
            write(write(out, silence.cluster()).i64(silence.epoch()), silence.about())
                    .i64(silence.heardMillis());
        } else if (request instanceof MembershipRequest.Admit admit) {
            write(write(out, admit.incarnation()), admit.proof());
        }
    }

    static void write(FrameWriter out, MembershipReply reply) {
        if (reply instanceof MembershipReply.Founder founder) {
            write(out, founder.incarnation());
            write(out, founder.cluster().orElse(NONE));
            write(out, founder.founders()).text(utf8(founder.refusal()));
        } else if (reply instanceof MembershipReply.StatePart part) {
            write(out, part.cluster().orElse(NONE)).i64(part.epoch()).i32(part.total());
            write(out, part.bytes());
        } else if (reply instanceof MembershipReply.Appended appended) {
            out.u8(appended.outcome().code()).i64(appended.epoch()).text(utf8(appended.reason()));
            write(out, appended.leader().orElse(NONE));
        } else if (reply instanceof MembershipReply.LastHeard heard) {
            out.i64(heard.heardMillis()).flag(heard.fails()).partitions(heard.incomplete());
        } else if (reply instanceof MembershipReply.Reported reported) {
            write(out, reported.incarnation())
                    .i64(reported.epoch())
                    .flag(reported.leads())
                    .i64(reported.hintBytes())
                    .i32(reported.openSnapshots())
                    .flag(reported.space().isPresent())
                    .i64(reported.space().map(StoreSpace::usedBytes).orElse(0L))
                    .i64(reported.space().map(StoreSpace::freeBytes).orElse(0L))
                    .i32(reported.batches().size());
            for (BatchProgress batch : reported.batches()) {
                out.i64(batch.batch())
                        .partitions(batch.complete())
                        .i64(batch.copiedBytes())
                        .i64(batch.totalBytes())
                        .text(utf8(waitsFor(batch)));
            }
            out.i32(reported.waits().size());
            reported.waits().forEach(wait -> out.text(utf8(wait, MAX_WAIT_BYTES)));
        }
    }

    private static String waitsFor(BatchProgress batch) {
        return batch.waitsFor().orElse("");
    }

    private static FrameWriter write(FrameWriter out, UUID id) {
        return out.i64(id.getMostSignificantBits()).i64(id.getLeastSignificantBits());
    }

    private static FrameWriter write(FrameWriter out, byte[] bytes) {
        return out.i32(bytes.length).bytes(bytes);
    }

    static Request readRequest(FrameReader in, int type) throws FrameException {
        return switch (type) {
            case FrameTypes.FOUND_CLUSTER -> new MembershipRequest.Found(bytes(in, "a proposal"));
            case FrameTypes.CLUSTER_STATE ->
                new MembershipRequest.State(
                        optional(in, "a cluster"),
                        epoch(in, "the known epoch"),
                        epoch(in, "the wanted epoch"),
                        in.size("the place of a part"));
            case FrameTypes.APPEND_COMMAND ->
                new MembershipRequest.Append(uuid(in, "a cluster"), bytes(in, "a command"));
            case FrameTypes.LOG_PART -> logPart(in);
            case FrameTypes.NODE_REPORT -> report(uuid(in, "a cluster"), epoch(in, "the known epoch"), in);
            case FrameTypes.ADMIT_NODE -> new MembershipRequest.Admit(uuid(in, "an incarnation"), bytes(in, "a proof"));
            default -> throw in.malformed("no message about membership: type " + type);
        };
    }

    private static Request report(UUID cluster, long epoch, FrameReader in) throws FrameException {
        return in.isAtEnd()
                ? new MembershipRequest.Report(cluster, epoch)
                : new MembershipRequest.Silence(cluster, epoch, uuid(in, "an incarnation"), heard(in));
    }

    private static long heard(FrameReader in) throws FrameException {
        long millis = in.i64("the time since a member was heard");
        if (millis < MembershipReply.LastHeard.UNKNOWN) {
            throw in.malformed("the time since a member was heard must not be negative, is " + millis);
        }
        return millis;
    }

    private static LogPart logPart(FrameReader in) throws FrameException {
        UUID from = uuid(in, "the sender's incarnation");
        UUID to = uuid(in, "the recipient's incarnation");
        int message = in.i32("a message's number");
        int part = in.u8("a part's number");
        int parts = in.u8("the number of parts");
        if (part >= parts || parts > LogPart.MAX_PARTS) {
            throw in.malformed("part " + part + " of " + parts + " parts, at most " + LogPart.MAX_PARTS);
        }
        byte[] bytes = bytes(in, "a part");
        if (part < parts - 1 && bytes.length != MembershipRequest.MAX_BYTES) {
            throw in.malformed("a part that is not the last one has " + MembershipRequest.MAX_BYTES + " bytes, not "
                    + bytes.length);
        }
        return new LogPart(from, to, message, part, parts, bytes);
    }

    static int replyType(MembershipRequest request) {
        if (request instanceof MembershipRequest.Found) {
            return FrameTypes.FOUNDER;
        }
        if (request instanceof MembershipRequest.State) {
            return FrameTypes.STATE_PART;
        }
        if (request instanceof MembershipRequest.Report) {
            return FrameTypes.REPORTED;
        }
        if (request instanceof MembershipRequest.Silence) {
            return FrameTypes.LAST_HEARD;
        }
        return isAnsweredByAppended(request) ? FrameTypes.APPENDED : FrameTypes.TAKEN;
    }

    private static boolean isAnsweredByAppended(MembershipRequest request) {
        return request instanceof MembershipRequest.Append || request instanceof MembershipRequest.Admit;
    }

    static Reply readReply(FrameReader in, MembershipRequest request) throws FrameException {
        if (request instanceof MembershipRequest.Found) {
            return new MembershipReply.Founder(
                    uuid(in, "an incarnation"),
                    optional(in, "a cluster"),
                    bytes(in, "a list of founders"),
                    PrintableText.of(in.text()));
        }
        if (request instanceof MembershipRequest.State state) {
            return statePart(in, state);
        }
        if (request instanceof MembershipRequest.Report) {
            return reported(in);
        }
        if (request instanceof MembershipRequest.Silence) {
            return new MembershipReply.LastHeard(heard(in), in.flag("whether calls to a member fail"), in.partitions());
        }
        return isAnsweredByAppended(request) ? appended(in) : new MembershipReply.Taken();
    }

    private static Reply reported(FrameReader in) throws FrameException {
        UUID incarnation = uuid(in, "an incarnation");
        long epoch = epoch(in, "an epoch");
        boolean leads = in.flag("whether the node leads");
        long hintBytes = epoch(in, "the size of hints");
        int openSnapshots = in.size("the number of snapshots");
        Optional<StoreSpace> space = space(in);
        int count = in.count(8 + 4 + 8 + 8 + 2, "batches");
        if (count > MembershipReply.Reported.MAX_BATCHES) {
            throw in.malformed(
                    "a report has at most " + MembershipReply.Reported.MAX_BATCHES + " batches, not " + count);
        }
        List<BatchProgress> batches = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            long batch = epoch(in, "a batch's number");
            PartitionSet complete = in.partitions();
            long copied = epoch(in, "a number of copied bytes");
            long total = epoch(in, "a number of bytes in all");
            String waitsFor = PrintableText.of(in.text());
            batches.add(new BatchProgress(
                    batch, complete, copied, total, waitsFor.isEmpty() ? Optional.empty() : Optional.of(waitsFor)));
        }
        return new MembershipReply.Reported(
                incarnation, epoch, leads, hintBytes, openSnapshots, space, batches, waits(in));
    }

    private static Optional<StoreSpace> space(FrameReader in) throws FrameException {
        boolean known = in.flag("whether the space is known");
        long used = epoch(in, "the used bytes");
        long free = epoch(in, "the free bytes");
        return known ? Optional.of(new StoreSpace(used, free)) : Optional.empty();
    }

    private static List<String> waits(FrameReader in) throws FrameException {
        int count = in.count(2, "waits");
        if (count > MembershipReply.Reported.MAX_WAITS) {
            throw in.malformed("a report has at most " + MembershipReply.Reported.MAX_WAITS + " waits, not " + count);
        }
        List<String> waits = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            waits.add(PrintableText.of(in.text()));
        }
        return waits;
    }

    private static Reply statePart(FrameReader in, MembershipRequest.State request) throws FrameException {
        Optional<UUID> cluster = optional(in, "a cluster");
        long epoch = epoch(in, "an epoch");
        int total = in.size("the size of a state");
        byte[] bytes = bytes(in, "a part of a state");
        if (total > TopologyLog.MAX_SNAPSHOT_BYTES) {
            throw in.malformed("a state has at most " + TopologyLog.MAX_SNAPSHOT_BYTES + " bytes, not " + total);
        }
        boolean none = total == 0 && bytes.length == 0;
        boolean some = bytes.length > 0 && bytes.length <= (long) total - request.offset();
        if (!none && !some) {
            throw in.malformed(
                    bytes.length + " bytes from byte " + request.offset() + " on of a state of " + total + " bytes");
        }
        return new MembershipReply.StatePart(cluster, epoch, total, bytes);
    }

    private static Reply appended(FrameReader in) throws FrameException {
        int code = in.u8("what became of a command");
        Outcome outcome = Arrays.stream(Outcome.values())
                .filter(each -> each.code() == code)
                .findFirst()
                .orElseThrow(() -> in.malformed("unknown outcome of a command: " + code));
        return new MembershipReply.Appended(
                outcome, epoch(in, "an epoch"), PrintableText.of(in.text()), optional(in, "the leader's incarnation"));
    }

    private static long epoch(FrameReader in, String what) throws FrameException {
        long epoch = in.i64(what);
        if (epoch < 0) {
            throw in.malformed(what + " must not be negative, is " + epoch);
        }
        return epoch;
    }

    private static UUID uuid(FrameReader in, String what) throws FrameException {
        return new UUID(in.i64(what), in.i64(what));
    }

    private static Optional<UUID> optional(FrameReader in, String what) throws FrameException {
        UUID id = uuid(in, what);
        return id.equals(NONE) ? Optional.empty() : Optional.of(id);
    }

    private static byte[] bytes(FrameReader in, String what) throws FrameException {
        int length = in.size("the length of " + what);
        if (length > MembershipRequest.MAX_BYTES) {
            throw in.malformed(what + " has at most " + MembershipRequest.MAX_BYTES + " bytes, not " + length);
        }
        return in.bytes(length, what);
    }
}
