package io.dht4j.core.internal.wire.codec;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.PrintableText;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.RepairReply;
import io.dht4j.core.internal.wire.RepairReply.Held;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.core.internal.wire.RepairRequest.Buckets;
import io.dht4j.core.internal.wire.RepairRequest.Detail;
import java.util.ArrayList;
import java.util.List;

/** The bodies of repair messages. */
final class RepairBody {

    /** The details by their codes. */
    private static final List<Detail> DETAILS =
            List.of(Detail.PARTITIONS, Detail.BUCKETS, Detail.WATERMARKS, Detail.PROMISES);
    /** A partition and its mask. */
    private static final int BUCKETS_BYTES = 4 + 8;
    /** The bytes of a held entry without its key. */
    private static final int HELD_BYTES = 8 + 4;

    private RepairBody() {}

    static int type(RepairRequest request) {
        if (request instanceof RepairRequest.Sums) {
            return FrameTypes.REPAIR_SUMS;
        }
        if (request instanceof RepairRequest.Versions) {
            return FrameTypes.REPAIR_VERSIONS;
        }
        if (request instanceof RepairRequest.Watermarks) {
            return FrameTypes.REPAIR_WATERMARKS;
        }
        if (request instanceof RepairRequest.Entries) {
            return FrameTypes.REPAIR_ENTRIES;
        }
        return request instanceof RepairRequest.Prepare ? FrameTypes.REPAIR_PREPARE : FrameTypes.REPAIR_DECISION;
    }

    static int type(RepairReply reply) {
        if (reply instanceof RepairReply.Sums) {
            return FrameTypes.SUMS;
        }
        if (reply instanceof RepairReply.Versions) {
            return FrameTypes.VERSIONS;
        }
        if (reply instanceof RepairReply.Watermarks) {
            return FrameTypes.WATERMARKS;
        }
        return reply instanceof RepairReply.Vote ? FrameTypes.VOTE : FrameTypes.ACKNOWLEDGED;
    }

    static int size(RepairRequest request) {
        if (request instanceof RepairRequest.Sums sums) {
            return FrameWriter.sizeOf(sums.partitions()) + 1 + 8;
        }
        if (request instanceof RepairRequest.Versions versions) {
            return FrameWriter.sizeOf(versions.start()) + 4 + versions.buckets().size() * BUCKETS_BYTES;
        }
        if (request instanceof RepairRequest.Watermarks watermarks) {
            return 2
                    + FrameWriter.utf8(watermarks.from()).length
                    + FrameWriter.sizeOf(watermarks.partitions())
                    + 4
                    + 8 * watermarks.purged().size();
        }
        if (request instanceof RepairRequest.Entries entries) {
            return RequestBody.sizeOf(entries.queries());
        }
        PartitionSet partitions = request instanceof RepairRequest.Prepare prepare
                ? prepare.partitions()
                : ((RepairRequest.Decision) request).partitions();
        return FrameWriter.sizeOf(partitions) + 8 + (request instanceof RepairRequest.Decision ? 8 : 0);
    }

    static int size(RepairReply reply) {
        if (reply instanceof RepairReply.Sums sums) {
            return 1
                    + 4
                    + 8 * sums.sums().size()
                    + 4
                    + 8 * sums.purged().size()
                    + 4
                    + 8 * sums.fenced().size();
        }
        if (reply instanceof RepairReply.Versions versions) {
            int size = 4 + 1 + versions.resume().map(FrameWriter::sizeOf).orElse(0);
            for (Held held : versions.held()) {
                size = Math.addExact(size, FrameWriter.sizeOf(held.key()) + HELD_BYTES);
            }
            return size;
        }
        if (reply instanceof RepairReply.Watermarks watermarks) {
            return 4 + 8 * watermarks.purged().size();
        }
        return reply instanceof RepairReply.Vote vote ? FrameWriter.sizeOf(vote.partitions()) : 0;
    }

    static void write(FrameWriter out, RepairRequest request) {
        if (request instanceof RepairRequest.Sums sums) {
            out.partitions(sums.partitions())
                    .u8(DETAILS.indexOf(sums.detail()))
                    .i64(sums.seal().packed());
        } else if (request instanceof RepairRequest.Versions versions) {
            out.key(versions.start()).i32(versions.buckets().size());
            for (Buckets each : versions.buckets()) {
                out.i32(each.partition()).i64(each.mask());
            }
        } else if (request instanceof RepairRequest.Prepare prepare) {
            out.partitions(prepare.partitions()).i64(prepare.seal().packed());
        } else if (request instanceof RepairRequest.Decision decision) {
            out.partitions(decision.partitions())
                    .i64(decision.outcome().packed())
                    .i64(decision.seal().packed());
        } else if (request instanceof RepairRequest.Watermarks watermarks) {
            out.text(FrameWriter.utf8(watermarks.from()));
            out.partitions(watermarks.partitions());
            write(out, watermarks.purged());
        } else if (request instanceof RepairRequest.Entries entries) {
            RequestBody.write(out, entries.queries());
        }
    }

    static void write(FrameWriter out, RepairReply reply) {
        if (reply instanceof RepairReply.Sums sums) {
            out.flag(sums.sealed());
            write(out, sums.sums());
            write(out, sums.purged());
            write(out, sums.fenced());
        } else if (reply instanceof RepairReply.Versions versions) {
            out.i32(versions.held().size());
            for (Held held : versions.held()) {
                out.key(held.key()).i64(held.version().packed()).i32(held.digest());
            }
            out.flag(versions.resume().isPresent());
            versions.resume().ifPresent(out::key);
        } else if (reply instanceof RepairReply.Vote vote) {
            out.partitions(vote.partitions());
        } else if (reply instanceof RepairReply.Watermarks watermarks) {
            write(out, watermarks.purged());
        }
    }

    static RepairRequest readRequest(FrameReader in, int type) throws FrameException {
        return switch (type) {
            case FrameTypes.REPAIR_SUMS -> new RepairRequest.Sums(in.partitions(), detail(in), in.version());
            case FrameTypes.REPAIR_VERSIONS -> new RepairRequest.Versions(in.key(), buckets(in));
            case FrameTypes.REPAIR_PREPARE -> new RepairRequest.Prepare(in.partitions(), in.version());
            case FrameTypes.REPAIR_WATERMARKS -> watermarks(in);
            case FrameTypes.REPAIR_ENTRIES -> new RepairRequest.Entries(RequestBody.queries(in));
            default -> new RepairRequest.Decision(in.partitions(), in.version(), in.version());
        };
    }

    private static Detail detail(FrameReader in) throws FrameException {
        int code = in.u8("the detail");
        if (code >= DETAILS.size()) {
            throw in.malformed("the detail must be 0 to " + (DETAILS.size() - 1) + ", not " + code);
        }
        return DETAILS.get(code);
    }

    private static RepairRequest.Watermarks watermarks(FrameReader in) throws FrameException {
        String from = PrintableText.of(in.text());
        PartitionSet partitions = in.partitions();
        List<Long> purged = numbers(in, "purged versions");
        if (purged.size() != partitions.cardinality()) {
            throw in.malformed(purged.size() + " purged versions of " + partitions.cardinality() + " partitions");
        }
        return new RepairRequest.Watermarks(from, partitions, purged);
    }

    /** Reads a reply of a type that matches the request. */
    static RepairReply readReply(FrameReader in, RepairRequest request) throws FrameException {
        if (request instanceof RepairRequest.Sums sums) {
            RepairReply.Sums reply = new RepairReply.Sums(
                    in.flag("the sealed flag"),
                    numbers(in, "sums"),
                    numbers(in, "purged versions"),
                    numbers(in, "fenced versions"));
            int partitions = sums.partitions().cardinality();
            int found = reply.sums().size();
            boolean fits = switch (sums.detail()) {
                case PARTITIONS, PROMISES -> found == partitions;
                case BUCKETS -> partitions > 0 && found % partitions == 0;
                case WATERMARKS -> found == 0;
            };
            int watermarks = sums.detail() == Detail.BUCKETS || sums.detail() == Detail.PROMISES ? 0 : partitions;
            if (!fits || reply.purged().size() != watermarks || reply.fenced().size() != watermarks) {
                throw in.malformed("%d sums, %d purged and %d fenced versions of %d partitions"
                        .formatted(found, reply.purged().size(), reply.fenced().size(), partitions));
            }
            return reply;
        }
        if (request instanceof RepairRequest.Versions versions) {
            int count = in.items(2 + Key.MIN_LENGTH + HELD_BYTES, "held entries");
            PageBody.Position position = new PageBody.Position(KeyRange.from(versions.start()));
            List<Held> held = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                Held each = new Held(in.key(), in.version(), in.i32("a digest"));
                position.pass(in, each.key());
                held.add(each);
            }
            return new RepairReply.Versions(held, position.resume(in));
        }
        if (request instanceof RepairRequest.Watermarks watermarks) {
            List<Long> purged = numbers(in, "purged versions");
            if (purged.size() != watermarks.purged().size()) {
                throw in.malformed(purged.size() + " purged versions of "
                        + watermarks.purged().size() + " partitions");
            }
            return new RepairReply.Watermarks(purged);
        }
        return request instanceof RepairRequest.Prepare
                ? new RepairReply.Vote(in.partitions())
                : new RepairReply.Acknowledged();
    }

    /** Returns the type of the reply to a request. */
    static int replyType(RepairRequest request) {
        return type(request) | FrameTypes.REPLY;
    }

    private static List<Buckets> buckets(FrameReader in) throws FrameException {
        int count = in.items(BUCKETS_BYTES, "partitions");
        List<Buckets> buckets = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            buckets.add(new Buckets(in.size("a partition"), in.i64("the buckets")));
        }
        return buckets;
    }

    private static void write(FrameWriter out, List<Long> numbers) {
        out.i32(numbers.size());
        for (long number : numbers) {
            out.i64(number);
        }
    }

    private static List<Long> numbers(FrameReader in, String what) throws FrameException {
        int count = in.count(8, what);
        List<Long> numbers = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            numbers.add(in.i64(what));
        }
        return numbers;
    }
}
