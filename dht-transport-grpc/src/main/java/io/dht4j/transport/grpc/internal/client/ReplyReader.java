package io.dht4j.transport.grpc.internal.client;

import io.dht4j.transport.common.calls.FrameAssembler;
import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.grpc.internal.wire.PeerMethods;
import io.dht4j.transport.grpc.internal.wire.RecordHead;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads the messages of a peer, and ends the calls that they answer. For the lane's event loop. */
final class ReplyReader {

    /** The length at which the text of an error is truncated. */
    private static final int MAX_ERROR_TEXT = 512;

    private final SentCalls sent;
    private final int maxFrameBytes;
    private final RecordHead head = new RecordHead();

    ReplyReader(SentCalls sent, int maxFrameBytes) {
        this.sent = sent;
        this.maxFrameBytes = maxFrameBytes;
    }

    /**
     * Reads a message.
     *
     * @throws IOException if it is malformed; the message says how
     */
    void read(InputStream message) throws IOException {
        while (message.available() > 0) {
            head.read(message);
            readRecord(message, head.length());
        }
    }

    private void readRecord(InputStream message, int length) throws IOException {
        switch (head.type()) {
            case RecordHead.REPLY -> {
                PeerCall call = answered();
                if (call == null) {
                    message.skipNBytes(length);
                } else {
                    sent.remove(call.id());
                    call.reply(message.readNBytes(length));
                }
            }
            case RecordHead.REPLY_BEGINS -> begin(message, answered(), length, head.total());
            case RecordHead.PART -> part(message, sent.find(head.id()), length);
            case RecordHead.FAILED -> {
                String why = text(message, length);
                PeerCall call = sent.remove(head.id());
                if (call != null) {
                    call.abandon("failed there: " + why);
                }
            }
            case RecordHead.REFUSED -> {
                String why = text(message, length);
                PeerCall call = sent.remove(head.id());
                if (call != null) {
                    call.refused("refused: " + why);
                }
            }
            case RecordHead.NO_ROOM -> {
                String why = text(message, length);
                PeerCall call = sent.remove(head.id());
                if (call != null) {
                    call.noRoom("refused: " + why);
                }
            }
            default -> throw new IOException("a record of type " + head.type() + " from the called peer");
        }
    }

    /** Returns the call that a reply belongs to; null if it has ended. */
    private @Nullable PeerCall answered() throws IOException {
        PeerCall call = sent.find(head.id());
        if (call != null && !call.isSent() && !call.hasEnded()) {
            throw new IOException("a reply to a request that has not been sent to its end");
        }
        return call;
    }

    private void begin(InputStream message, @Nullable PeerCall call, int length, int total) throws IOException {
        if (call == null) {
            message.skipNBytes(length);
            return;
        }
        if (total > maxFrameBytes || call.assembling() != null) {
            throw new IOException("a reply of " + total + " bytes, over the limit of " + maxFrameBytes
                    + ", or one that had begun before");
        }
        call.assembling(new FrameAssembler(total));
        part(message, call, length);
    }

    private void part(InputStream message, @Nullable PeerCall call, int length) throws IOException {
        if (call == null) {
            message.skipNBytes(length);
            return;
        }
        FrameAssembler reply = call.assembling();
        if (reply == null || !reply.add(message, length)) {
            throw new IOException("a part of " + length + " bytes that was not announced");
        }
        if (reply.isComplete()) {
            sent.remove(call.id());
            call.assembling(null);
            call.reply(reply.bytes());
        }
    }

    private static String text(InputStream message, int length) throws IOException {
        byte[] bytes = message.readNBytes(Math.min(length, MAX_ERROR_TEXT));
        message.skipNBytes(length - (long) bytes.length);
        if (bytes.length < Math.min(length, MAX_ERROR_TEXT)) {
            throw new EOFException("a text that ends early");
        }
        return PeerMethods.oneLine(new String(bytes, StandardCharsets.UTF_8));
    }
}
