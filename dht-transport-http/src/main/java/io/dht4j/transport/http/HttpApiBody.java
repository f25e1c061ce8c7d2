package io.dht4j.transport.http;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.vertx.core.buffer.Buffer;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Reads a value that a client sends. Memory is taken as bytes come, not as they are announced, and every byte is counted
 * against the value's limit and against the budget of bytes in flight. Belongs to the request's event loop.
 */
final class HttpApiBody {

    private static final int FIRST_CAPACITY = 64 * 1024;

    private final HttpApiExchange exchange;
    private final int maxBytes;
    private final Consumer<byte[]> whenWhole;
    private byte[] bytes;
    private int size;

    private HttpApiBody(HttpApiExchange exchange, Consumer<byte[]> whenWhole) {
        this.exchange = exchange;
        this.maxBytes = exchange.options().maxValueBytes();
        this.whenWhole = whenWhole;
        this.bytes = new byte[(int) Math.min(FIRST_CAPACITY, Math.max(0, exchange.contentLength()))];
    }

    /**
     * Refuses a value whose announced length is over the limit.
     *
     * @throws InvalidRequestException if it is
     */
    static void requireAllowedLength(HttpApiExchange exchange) {
        if (exchange.contentLength() > exchange.options().maxValueBytes()) {
            throw tooLarge(exchange.options().maxValueBytes());
        }
    }

    /**
     * Reads the body, or answers with an error.
     *
     * @param whenWhole receives the bytes, which nobody else keeps
     */
    static void read(HttpApiExchange exchange, Consumer<byte[]> whenWhole) {
        requireAllowedLength(exchange);
        exchange.requireRoomFor(Math.max(0, exchange.contentLength()));
        HttpApiBody body = new HttpApiBody(exchange, whenWhole);
        if (!exchange.hasBody()) {
            body.ended();
            return;
        }
        exchange.whenGone(exchange::release);
        exchange.startTimer(exchange.options().bodyTimeout(), body::timedOut);
        exchange.request().handler(body::received);
        exchange.request().endHandler(ended -> body.ended());
        exchange.writeContinue();
    }

    private static InvalidRequestException tooLarge(int maxBytes) {
        return new InvalidRequestException(
                ErrorCode.VALUE_TOO_LARGE, "a value has at most " + maxBytes + " bytes on this node");
    }

    private void received(Buffer chunk) {
        if (exchange.isOver()) {
            return;
        }
        try {
            int length = chunk.length();
            if (length > maxBytes - size) {
                throw tooLarge(maxBytes);
            }
            exchange.reserve(length);
            if (bytes.length - size < length) {
                grow(size + length);
            }
            chunk.getBytes(bytes, size);
            size += length;
        } catch (DhtException e) {
            bytes = new byte[0];
            exchange.fail(e);
        }
    }

    private void grow(int needed) {
        long doubled = Math.min(maxBytes, Math.max(FIRST_CAPACITY, 2L * bytes.length));
        long announced = exchange.contentLength() < 0 ? doubled : Math.min(doubled, exchange.contentLength());
        bytes = Arrays.copyOf(bytes, (int) Math.max(needed, announced));
    }

    private void ended() {
        if (exchange.isOver()) {
            return;
        }
        exchange.stopTimer();
        exchange.whenGone(() -> {});
        byte[] whole = size == bytes.length ? bytes : Arrays.copyOf(bytes, size);
        bytes = new byte[0];
        whenWhole.accept(whole);
    }

    private void timedOut() {
        bytes = new byte[0];
        exchange.bodyIsLate();
        exchange.answer(HttpApiProblem.of(
                408,
                ErrorCode.BAD_REQUEST,
                "the value did not arrive within "
                        + exchange.options().bodyTimeout().toMillis() + " ms"));
    }
}
