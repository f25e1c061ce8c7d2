package io.dht4j.transport.tcp.internal.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.dht4j.DhtException;
import io.dht4j.PrintableText;
import io.dht4j.transport.common.PeerAdmission;
import io.dht4j.transport.tcp.internal.wire.RecordType;
import io.dht4j.transport.tcp.internal.wire.RecordWriter;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Holds the answers of one connection that wait to be written. For the loop's thread. */
final class Replies {

    private static final Logger LOG = LoggerFactory.getLogger(Replies.class);

    private static final int MAX_ERROR_TEXT = 512;

    private final ServerConnection connection;
    private final Deque<PendingAnswer> whole = new ArrayDeque<>();
    /** The answers that are sent in parts, round-robin. */
    private final Deque<Exchange> parted = new ArrayDeque<>();

    Replies(ServerConnection connection) {
        this.connection = connection;
    }

    boolean isEmpty() {
        return whole.isEmpty() && parted.isEmpty();
    }

    int size() {
        return whole.size() + parted.size();
    }

    /** Adds an answer that goes in one record. */
    void add(PendingAnswer answer) {
        whole.add(answer);
    }

    /** Adds the result of an exchange. */
    void addResult(Exchange exchange) {
        PeerAdmission admission = connection.requests().admission();
        byte[] reply = exchange.result();
        Throwable error = exchange.error();
        if (error != null || reply == null) {
            Throwable cause = error == null ? new IllegalStateException("no reply") : DhtException.unwrap(error);
            connection.requests().logFailed(connection.caller(), cause);
            fail(exchange, PrintableText.of(cause, MAX_ERROR_TEXT));
        } else if (reply.length > admission.maxFrameBytes()) {
            LOG.warn("a reply of {} bytes is over the limit of {}", reply.length, admission.maxFrameBytes());
            fail(exchange, "the reply of " + reply.length + " bytes is over the limit");
        } else {
            admission.grow(reply.length);
            exchange.hold(reply.length);
            exchange.set(RecordType.REPLY, reply);
            if (RecordWriter.isWhole(reply.length)) {
                whole.add(exchange);
            } else {
                parted.add(exchange);
            }
        }
    }

    private void fail(Exchange exchange, String why) {
        exchange.set(RecordType.FAILED, why.getBytes(UTF_8));
        whole.add(exchange);
    }

    /** Puts as many answers into a buffer as fit. Large replies have half of the buffer for themselves. */
    void fill(ByteBuffer buffer) {
        int reserved = parted.isEmpty() ? 0 : buffer.capacity() / 2;
        for (PendingAnswer answer = whole.peek(); answer != null; answer = whole.peek()) {
            byte[] bytes = answer.bytes();
            if (bytes != null) {
                if (buffer.remaining() - reserved < RecordType.MAX_HEAD_BYTES + bytes.length) {
                    break;
                }
                RecordWriter.record(buffer, answer.type(), answer.id(), bytes);
            }
            whole.remove();
            if (answer instanceof Exchange exchange) {
                connection.remove(exchange);
            }
        }
        fillParts(buffer);
    }

    private void fillParts(ByteBuffer buffer) {
        for (Exchange exchange = parted.peek(); exchange != null; exchange = parted.peek()) {
            byte[] reply = exchange.bytes();
            if (reply == null) {
                // Its caller no longer wants it.
                parted.remove();
                continue;
            }
            int from = exchange.written;
            int length = RecordWriter.part(buffer, reply.length, from);
            if (length == 0) {
                return;
            }
            parted.remove();
            if (from == 0) {
                RecordWriter.replyBegins(buffer, exchange.id(), reply, length);
            } else {
                RecordWriter.replyPart(buffer, exchange.id(), reply, from, length);
            }
            exchange.written = from + length;
            if (exchange.written < reply.length) {
                parted.add(exchange);
            } else {
                connection.remove(exchange);
            }
        }
    }

    void clear() {
        whole.clear();
        parted.clear();
    }
}
