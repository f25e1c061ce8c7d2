package io.dht4j.transport.http.internal.api;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Drains a body that is still arriving when the answer is known. It is read and dropped for a while: most clients read
 * the answer only after they have sent the whole body. Belongs to the request's event loop.
 */
final class UnwantedBody {

    /** The number of bytes that are read and dropped. */
    private static final long MAX_DISCARDED = 64 * 1024 * 1024;

    /** The time for a client whose connection ends with the answer. */
    private static final Duration LINGER = Duration.ofSeconds(2);

    private final ApiExchange exchange;
    private final HttpServerRequest request;
    private final HttpServerResponse response;
    private long discarded;

    private UnwantedBody(ApiExchange exchange) {
        this.exchange = exchange;
        this.request = exchange.request();
        this.response = exchange.response();
    }

    /**
     * Answers, and reads and drops the body.
     *
     * @param answer the body of the answer, null for none; status and headers must have been set
     * @param closes whether the connection is not worth keeping for the rest of the body
     */
    static void answerBefore(ApiExchange exchange, @Nullable Buffer answer, boolean closes) {
        UnwantedBody body = new UnwantedBody(exchange);
        if (exchange.isHttp2()) {
            body.answerOnStream(answer);
        } else {
            body.answerOnConnection(answer, closes);
        }
    }

    /**
     * Sends the whole answer at once, but declares its end only when the body has arrived, so that its bytes are not
     * parsed as the next request. A connection that is closed with unread bytes would be reset, and the client might
     * never see the answer.
     */
    private void answerOnConnection(@Nullable Buffer answer, boolean closes) {
        if (closes) {
            response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        }
        if (!exchange.isHead()) {
            response.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(answer == null ? 0 : answer.length()));
        }
        if (answer == null) {
            response.writeHead();
        } else {
            response.write(answer);
        }
        exchange.release();
        exchange.share().leaveConnection();
        exchange.startTimer(closes ? LINGER : exchange.patience().bodyTimeout(), exchange::cut);
        discard(() -> {
            if (closes) {
                response.end().onComplete(done -> exchange.cut());
            } else {
                response.end();
            }
        });
    }

    /** Answers on a stream, which has an end of its own and may be reset without harm to others. */
    private void answerOnStream(@Nullable Buffer answer) {
        exchange.release();
        exchange.share().leaveConnection();
        exchange.startTimer(LINGER, exchange::cut);
        if (answer == null) {
            response.end();
        } else {
            response.end(answer);
        }
        discard(() -> {});
    }

    private void discard(Runnable whenEnded) {
        request.handler(chunk -> {
            discarded += chunk.length();
            if (discarded > MAX_DISCARDED) {
                exchange.cut();
            }
        });
        request.endHandler(ended -> {
            exchange.stopTimer();
            whenEnded.run();
        });
        request.resume();
    }
}
