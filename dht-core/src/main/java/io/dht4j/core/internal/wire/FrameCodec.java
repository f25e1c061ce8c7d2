package io.dht4j.core.internal.wire;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.core.internal.wire.Request.Query;
import io.dht4j.spi.Entry;
import io.dht4j.spi.PartitionTable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * Turns messages into frames and back. A frame is: protocol version (1 byte), message type (1 byte), epoch, placement
 * fingerprint and clock (8 bytes each), then the message. Numbers are big-endian; lists and values are led by their length
 * in 4 bytes, keys and texts by theirs in 2. Stateless; safe for use by any number of threads.
 */
public final class FrameCodec {

    /** The protocol version that this node speaks. */
    public static final int PROTOCOL = 1;

    /** How many bytes a frame may have besides one value of the largest size. */
    public static final int FRAME_OVERHEAD = 256 * 1024;

    /** How many keys or entries a message may have: small ones take many times their encoded size once decoded. */
    public static final int MAX_ITEMS = 10_000;

    private static final int HEADER_BYTES = 1 + 1 + 3 * 8;

    private static final int READ_KEYS = 1;
    private static final int APPLY_ENTRIES = 2;
    private static final int SCAN_PAGE = 3;
    private static final int PING = 4;
    private static final int FOUND = 0x81;
    private static final int APPLIED = 0x82;
    private static final int PAGE = 0x83;
    private static final int PONG = 0x84;
    private static final int FAILED = 0xFF;

    private static final int ABSENT = 0;
    private static final int WHOLE = 1;
    private static final int VERSION_ONLY = 2;

    /**
     * A decoded frame.
     *
     * @param header what the frame says of its sender
     * @param message the request or reply
     * @param <M> request or reply
     */
    public record Frame<M>(FrameHeader header, M message) {}

    private FrameCodec() {}

    /**
     * Encodes a request.
     *
     * @param header what to say of the sender
     * @param request the request
     * @return a new frame
     */
    public static byte[] encode(FrameHeader header, Request request) {
        if (request instanceof Request.ReadKeys read) {
            int size = 4 + 4;
            for (Query query : read.queries()) {
                size += FrameWriter.sizeOf(query.key()) + 1;
            }
            FrameWriter out = begin(header, READ_KEYS, size)
                    .i32(read.inlineBytes())
                    .i32(read.queries().size());
            for (Query query : read.queries()) {
                out.key(query.key()).flag(query.whole());
            }
            return out.toByteArray();
        }
        if (request instanceof Request.ApplyEntries apply) {
            return begin(header, APPLY_ENTRIES, FrameWriter.sizeOf(apply.entries()))
                    .entries(apply.entries())
                    .toByteArray();
        }
        if (request instanceof Request.ScanPage scan) {
            byte[] partitions = scan.partitions().toByteArray();
            Optional<Key> end = scan.range().end();
            int size = FrameWriter.sizeOf(scan.range().start())
                    + 1
                    + end.map(FrameWriter::sizeOf).orElse(0)
                    + 4
                    + partitions.length
                    + 4
                    + 4;
            FrameWriter out =
                    begin(header, SCAN_PAGE, size).key(scan.range().start()).flag(end.isPresent());
            end.ifPresent(out::key);
            return out.i32(partitions.length)
                    .bytes(partitions)
                    .i32(scan.maxEntries())
                    .i32(scan.maxBytes())
                    .toByteArray();
        }
        return begin(header, PING, 0).toByteArray();
    }

    /**
     * Encodes a reply.
     *
     * @param header what to say of the sender
     * @param reply the reply
     * @return a new frame
     */
    public static byte[] encode(FrameHeader header, Reply reply) {
        if (reply instanceof Reply.Found found) {
            int size = 4;
            for (Answer answer : found.answers()) {
                size = Math.addExact(size, sizeOf(answer));
            }
            FrameWriter out = begin(header, FOUND, size).i32(found.answers().size());
            found.answers().forEach(answer -> write(out, answer));
            return out.toByteArray();
        }
        if (reply instanceof Reply.Page page) {
            int size = FrameWriter.sizeOf(page.entries())
                    + 1
                    + page.resume().map(FrameWriter::sizeOf).orElse(0);
            FrameWriter out = begin(header, PAGE, size)
                    .entries(page.entries())
                    .flag(page.resume().isPresent());
            page.resume().ifPresent(out::key);
            return out.toByteArray();
        }
        if (reply instanceof Reply.Failed failed) {
            byte[] message = FrameWriter.utf8(failed.message());
            return begin(header, FAILED, 2 + 2 + message.length)
                    .u16(failed.code().number())
                    .text(message)
                    .toByteArray();
        }
        return begin(header, reply instanceof Reply.Applied ? APPLIED : PONG, 0).toByteArray();
    }

    private static FrameWriter begin(FrameHeader header, int type, int bodyBytes) {
        return new FrameWriter(Math.addExact(HEADER_BYTES, bodyBytes))
                .u8(PROTOCOL)
                .u8(type)
                .i64(header.epoch())
                .i64(header.placement())
                .i64(header.clock().packed());
    }

    private static int sizeOf(Answer answer) {
        if (answer instanceof Answer.Whole whole) {
            return 1 + FrameWriter.sizeWithoutKey(whole.entry());
        }
        return answer instanceof Answer.VersionOnly ? 1 + 8 + 4 : 1;
    }

    private static void write(FrameWriter out, Answer answer) {
        if (answer instanceof Answer.Whole whole) {
            out.u8(WHOLE).entry(whole.entry());
        } else if (answer instanceof Answer.VersionOnly only) {
            out.u8(VERSION_ONLY).i64(only.version().packed()).i32(only.valueBytes());
        } else {
            out.u8(ABSENT);
        }
    }

    /**
     * Decodes a request from untrusted bytes.
     *
     * @param frame as received
     * @return the request
     * @throws FrameException if the bytes are not a request of this protocol version
     */
    public static Frame<Request> decodeRequest(byte[] frame) throws FrameException {
        FrameReader in = new FrameReader(frame);
        int type = type(in);
        FrameHeader header = header(in);
        Request request = switch (type) {
            case READ_KEYS -> readKeys(in);
            case APPLY_ENTRIES -> new Request.ApplyEntries(in.entries());
            case SCAN_PAGE -> scanPage(in);
            case PING -> new Request.Ping();
            default -> throw in.malformed("unknown request type " + type);
        };
        in.end();
        return new Frame<>(header, request);
    }

    /**
     * Decodes the reply to a request from untrusted bytes.
     *
     * @param frame as received
     * @param request the request that was sent, whose keys the reply refers to
     * @return the reply, of the kind that the request asks for or a failure
     * @throws FrameException if the bytes are not a fitting reply of this protocol version
     */
    public static Frame<Reply> decodeReply(byte[] frame, Request request) throws FrameException {
        FrameReader in = new FrameReader(frame);
        int type = type(in);
        FrameHeader header = header(in);
        Reply reply;
        if (type == FAILED) {
            reply = failed(in);
        } else if (type == FOUND && request instanceof Request.ReadKeys read) {
            reply = found(in, read);
        } else if (type == APPLIED && request instanceof Request.ApplyEntries) {
            reply = new Reply.Applied();
        } else if (type == PAGE && request instanceof Request.ScanPage) {
            reply = new Reply.Page(in.entries(), in.flag("the resume flag") ? Optional.of(in.key()) : Optional.empty());
        } else if (type == PONG && request instanceof Request.Ping) {
            reply = new Reply.Pong();
        } else {
            throw in.malformed(
                    "reply type " + type + " to " + request.getClass().getSimpleName());
        }
        in.end();
        return new Frame<>(header, reply);
    }

    private static int type(FrameReader in) throws FrameException {
        int protocol = in.u8("the protocol version");
        if (protocol != PROTOCOL) {
            throw new FrameException(
                    ErrorCode.UNSUPPORTED_PROTOCOL,
                    "protocol version " + protocol + " is not supported; this node speaks " + PROTOCOL);
        }
        return in.u8("the message type");
    }

    private static FrameHeader header(FrameReader in) throws FrameException {
        return new FrameHeader(in.i64("the epoch"), in.i64("the placement fingerprint"), in.version());
    }

    private static Request.ReadKeys readKeys(FrameReader in) throws FrameException {
        int inlineBytes = in.size("the inline limit");
        int count = in.items(2 + 1 + 1, "keys");
        List<Query> queries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            queries.add(new Query(in.key(), in.flag("the whole flag")));
        }
        return new Request.ReadKeys(queries, inlineBytes);
    }

    private static Request.ScanPage scanPage(FrameReader in) throws FrameException {
        Key start = in.key();
        Optional<Key> end = in.flag("the end flag") ? Optional.of(in.key()) : Optional.empty();
        int partitionBytes = in.count(1, "partition bytes");
        if (partitionBytes > PartitionTable.MAX_PARTITIONS / Byte.SIZE) {
            throw in.malformed("too many partitions");
        }
        BitSet partitions = BitSet.valueOf(in.bytes(partitionBytes, "partitions"));
        return new Request.ScanPage(
                new KeyRange(start, end), partitions, in.size("the entry limit"), in.size("the byte limit"));
    }

    private static Reply.Found found(FrameReader in, Request.ReadKeys read) throws FrameException {
        int count = in.items(1, "answers");
        if (count != read.queries().size()) {
            throw in.malformed(count + " answers to " + read.queries().size() + " keys");
        }
        List<Answer> answers = new ArrayList<>(count);
        for (Query query : read.queries()) {
            int kind = in.u8("an answer's kind");
            answers.add(
                    switch (kind) {
                        case ABSENT -> new Answer.Absent();
                        case WHOLE -> new Answer.Whole(in.entry(query.key()));
                        case VERSION_ONLY -> new Answer.VersionOnly(in.version(), in.size("a value's size"));
                        default -> throw in.malformed("unknown kind of answer " + kind);
                    });
        }
        return new Reply.Found(answers);
    }

    private static Reply.Failed failed(FrameReader in) throws FrameException {
        int number = in.u16("an error code");
        String message = in.text();
        // A newer peer may know errors that this node does not.
        return new Reply.Failed(ErrorCode.byNumber(number).orElse(ErrorCode.INTERNAL), message);
    }

    /**
     * How many bytes an entry takes in a frame.
     *
     * @param entry any entry
     * @return its encoded size
     */
    public static int encodedSize(Entry entry) {
        return FrameWriter.sizeOf(entry);
    }
}
