package io.dht4j.core.internal.wire;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.PrintableText;
import io.dht4j.core.internal.wire.RepairReply.Held;
import io.dht4j.core.internal.wire.RepairRequest.Buckets;
import io.dht4j.core.internal.wire.RepairRequest.Detail;
import io.dht4j.spi.PartitionTable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** The bodies of repair messages. */
final class RepairBody {

    /** By their codes. */
    private static final List<Detail> DETAILS = List.of(Detail.PARTITIONS, Detail.BUCKETS, Detail.REACH);
    /** A partition and its mask. */
    private static final int BUCKETS_BYTES = 4 + 8;
    /** The bytes of a held entry besides its key. */
    private static final int HELD_BYTES = 8 + 4;

    private RepairBody() {}

    static int type(RepairRequest request) {
        if (request instanceof RepairRequest.Sums) {
            return FrameTypes.REPAIR_SUMS;
        }
        if (request instanceof RepairRequest.Versions) {
            return FrameTypes.REPAIR_VERSIONS;
        }
        if (request instanceof RepairRequest.Purged) {
            return FrameTypes.REPAIR_PURGED;
        }
        if (request instanceof RepairRequest.Entries) {
            return FrameTypes.REPAIR_ENTRIES;
        }
        return request instanceof RepairRequest.Fence ? FrameTypes.REPAIR_FENCE : FrameTypes.REPAIR_PURGE;
    }

    static int type(RepairReply reply) {
        if (reply instanceof RepairReply.Sums) {
            return FrameTypes.SUMS;
        }
        if (reply instanceof RepairReply.Versions) {
            return FrameTypes.VERSIONS;
        }
        if (reply instanceof RepairReply.Purged) {
            return FrameTypes.PURGED;
        }
        return reply instanceof RepairReply.Fenced ? FrameTypes.FENCED : FrameTypes.PURGING;
    }

    static int size(RepairRequest request) {
        if (request instanceof RepairRequest.Sums sums) {
            return sizeOf(sums.partitions()) + 1 + 8;
        }
        if (request instanceof RepairRequest.Versions versions) {
            return FrameWriter.sizeOf(versions.start()) + 4 + versions.buckets().size() * BUCKETS_BYTES;
        }
        if (request instanceof RepairRequest.Purged told) {
            return 2
                    + FrameWriter.utf8(told.from()).length
                    + sizeOf(told.partitions())
                    + 4
                    + 8 * told.purged().size();
        }
        if (request instanceof RepairRequest.Entries entries) {
            return RequestBody.sizeOf(entries.queries());
        }
        BitSet partitions = request instanceof RepairRequest.Fence fence
                ? fence.partitions()
                : ((RepairRequest.Purge) request).partitions();
        return sizeOf(partitions) + 8 + (request instanceof RepairRequest.Purge ? 8 : 0);
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
        if (reply instanceof RepairReply.Purged told) {
            return 4 + 8 * told.purged().size();
        }
        return reply instanceof RepairReply.Fenced fenced ? sizeOf(fenced.partitions()) : 0;
    }

    static void write(FrameWriter out, RepairRequest request) {
        if (request instanceof RepairRequest.Sums sums) {
            write(out, sums.partitions());
            out.u8(DETAILS.indexOf(sums.detail())).i64(sums.seal().packed());
        } else if (request instanceof RepairRequest.Versions versions) {
            out.key(versions.start()).i32(versions.buckets().size());
            for (Buckets each : versions.buckets()) {
                out.i32(each.partition()).i64(each.mask());
            }
        } else if (request instanceof RepairRequest.Fence fence) {
            write(out, fence.partitions());
            out.i64(fence.before().packed());
        } else if (request instanceof RepairRequest.Purge purge) {
            write(out, purge.partitions());
            out.i64(purge.before().packed()).i64(purge.seal().packed());
        } else if (request instanceof RepairRequest.Purged told) {
            out.text(FrameWriter.utf8(told.from()));
            write(out, told.partitions());
            write(out, told.purged());
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
        } else if (reply instanceof RepairReply.Fenced fenced) {
            write(out, fenced.partitions());
        } else if (reply instanceof RepairReply.Purged told) {
            write(out, told.purged());
        }
    }

    static RepairRequest readRequest(FrameReader in, int type) throws FrameException {
        return switch (type) {
            case FrameTypes.REPAIR_SUMS -> new RepairRequest.Sums(partitions(in), detail(in), in.version());
            case FrameTypes.REPAIR_VERSIONS -> new RepairRequest.Versions(in.key(), buckets(in));
            case FrameTypes.REPAIR_FENCE -> new RepairRequest.Fence(partitions(in), in.version());
            case FrameTypes.REPAIR_PURGED -> purged(in);
            case FrameTypes.REPAIR_ENTRIES -> new RepairRequest.Entries(RequestBody.queries(in));
            default -> new RepairRequest.Purge(partitions(in), in.version(), in.version());
        };
    }

    private static Detail detail(FrameReader in) throws FrameException {
        int code = in.u8("the detail");
        if (code >= DETAILS.size()) {
            throw in.malformed("the detail must be 0 to " + (DETAILS.size() - 1) + ", not " + code);
        }
        return DETAILS.get(code);
    }

    private static RepairRequest.Purged purged(FrameReader in) throws FrameException {
        String from = PrintableText.of(in.text());
        BitSet partitions = partitions(in);
        List<Long> purged = numbers(in, "purged versions");
        if (purged.size() != partitions.cardinality()) {
            throw in.malformed(purged.size() + " purged versions of " + partitions.cardinality() + " partitions");
        }
        return new RepairRequest.Purged(from, partitions, purged);
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
                case PARTITIONS -> found == partitions;
                case BUCKETS -> partitions > 0 && found % partitions == 0;
                case REACH -> found == 0;
            };
            int reaches = sums.detail() == Detail.BUCKETS ? 0 : partitions;
            if (!fits || reply.purged().size() != reaches || reply.fenced().size() != reaches) {
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
        if (request instanceof RepairRequest.Purged told) {
            List<Long> purged = numbers(in, "purged versions");
            if (purged.size() != told.purged().size()) {
                throw in.malformed(
                        purged.size() + " purged versions of " + told.purged().size() + " partitions");
            }
            return new RepairReply.Purged(purged);
        }
        return request instanceof RepairRequest.Fence
                ? new RepairReply.Fenced(partitions(in))
                : new RepairReply.Purging();
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

    private static int sizeOf(BitSet set) {
        return 4 + (set.length() + 7) / 8;
    }

    private static void write(FrameWriter out, BitSet set) {
        byte[] bytes = set.toByteArray();
        out.i32(bytes.length).bytes(bytes);
    }

    private static BitSet partitions(FrameReader in) throws FrameException {
        int bytes = in.count(1, "partition bytes");
        if (bytes > PartitionTable.MAX_PARTITIONS / Byte.SIZE) {
            throw in.malformed("too many partitions");
        }
        return BitSet.valueOf(in.bytes(bytes, "partitions"));
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
