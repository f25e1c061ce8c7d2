package io.dht4j.transport.http.internal.api;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;

/**
 * A value as an answer. A large one is sent in slices as the client reads, so that a client that does not read occupies
 * only one. Belongs to the request's event loop.
 */
final class ValueSlices {

    private static final int SLICE = 64 * 1024;

    private final ApiExchange exchange;
    private final HttpServerResponse response;
    private final byte[] value;

    private ValueSlices(ApiExchange exchange, byte[] value) {
        this.exchange = exchange;
        this.response = exchange.response();
        this.value = value;
    }

    /** Answers with a value. Headers of the response must have been set. */
    static void answer(ApiExchange exchange, byte[] value) {
        if (value.length <= SLICE || exchange.isHead() || exchange.isOver()) {
            exchange.answer(200, Buffer.buffer(value));
        } else {
            new ValueSlices(exchange, value).begin();
        }
    }

    private void begin() {
        exchange.answerBegins();
        exchange.whenGone(exchange::release);
        exchange.whenRevoked(revoked -> exchange.cutAndRelease());
        response.setStatusCode(200).putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(value.length));
        exchange.startTimer(exchange.patience().writeTimeout(), exchange::cutAndRelease);
        send(0);
    }

    private void send(int from) {
        int at = from;
        while (at < value.length) {
            if (exchange.isCutOrGone()) {
                return;
            }
            if (response.writeQueueFull()) {
                int next = at;
                response.drainHandler(drained -> {
                    response.drainHandler(null);
                    try {
                        send(next);
                    } catch (RuntimeException | Error e) {
                        exchange.fail(e);
                    }
                });
                return;
            }
            int length = Math.min(SLICE, value.length - at);
            response.write(Buffer.buffer(length).appendBytes(value, at, length));
            at += length;
        }
        exchange.release();
        exchange.watch(response.end());
    }
}
