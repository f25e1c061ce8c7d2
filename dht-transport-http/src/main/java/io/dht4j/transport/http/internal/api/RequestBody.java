package io.dht4j.transport.http.internal.api;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.OverloadedException;
import io.dht4j.transport.http.internal.common.HttpProblem;
import io.vertx.core.buffer.Buffer;

/**
 * Reads the body of a request. Memory is allocated as bytes arrive, not as they are announced, and is counted against
 * the budget of bytes in flight before its allocation. Belongs to the request's event loop.
 */
final class RequestBody {

    private final ApiExchange exchange;
    private final Receiver receiver;
    private long size;

    private RequestBody(ApiExchange exchange, Receiver receiver) {
        this.exchange = exchange;
        this.receiver = receiver;
    }

    /** Receives a body as it arrives. */
    interface Receiver {

        /** The most bytes that the body may have. */
        int maxBytes();

        /** The error for a larger body. */
        InvalidRequestException tooLarge();

        /**
         * Receives the next bytes. The kept part is reserved before it is in memory.
         *
         * @throws DhtException if the client has sent invalid bytes; then no further ones follow
         */
        void received(Buffer chunk);

        /**
         * The body is complete.
         *
         * @throws DhtException if it is invalid
         */
        void ended();

        /** The body will not be needed. */
        void dropped();
    }

    /**
     * Refuses a body whose announced length is over the limit.
     *
     * @throws InvalidRequestException if it is
     */
    static void requireAllowedLength(ApiExchange exchange, Receiver receiver) {
        if (exchange.body().length() > receiver.maxBytes()) {
            throw receiver.tooLarge();
        }
    }

    /** Hands the body to a receiver, or answers with an error. */
    static void read(ApiExchange exchange, Receiver receiver) {
        requireAllowedLength(exchange, receiver);
        exchange.share().requireRoomFor(Math.max(0, exchange.body().length()));
        RequestBody body = new RequestBody(exchange, receiver);
        if (!exchange.body().exists()) {
            body.ended();
            return;
        }
        exchange.share().awaitBody(body::giveWay);
        exchange.whenRevoked(body::fail);
        exchange.whenGone(() -> {
            receiver.dropped();
            exchange.release();
        });
        exchange.startTimer(exchange.patience().bodyTimeout(), body::timedOut);
        exchange.request().handler(body::received);
        exchange.request().endHandler(ended -> body.ended());
        exchange.body().writeContinue();
    }

    private void received(Buffer chunk) {
        if (exchange.isOver()) {
            return;
        }
        exchange.share().partOfBodyCame();
        try {
            size += chunk.length();
            if (size > receiver.maxBytes()) {
                throw receiver.tooLarge();
            }
            receiver.received(chunk);
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }

    private void fail(Throwable e) {
        receiver.dropped();
        exchange.fail(e);
    }

    private void ended() {
        if (exchange.isOver()) {
            return;
        }
        exchange.stopTimer();
        exchange.whenGone(() -> {});
        exchange.whenRevoked(revoked -> {});
        try {
            exchange.share().enter();
            receiver.ended();
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }

    /** The body may have arrived since: then its request continues, and its place is free. */
    private void giveWay() {
        if (exchange.share().isAwaitingBody() && !exchange.isOver()) {
            exchange.body().isLate();
            fail(new OverloadedException("too many requests wait for their bodies, and this one has waited longest"));
        }
    }

    private void timedOut() {
        receiver.dropped();
        exchange.body().isLate();
        exchange.answer(HttpProblem.of(
                408,
                ErrorCode.BAD_REQUEST,
                "the body did not arrive within "
                        + exchange.patience().bodyTimeout().toMillis() + " ms"));
    }
}
