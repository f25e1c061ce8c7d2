package io.dht4j.transport.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientConnection;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.RequestOptions;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection to a peer, with at most one call on it. Lives on its lane's event loop: no other thread touches it. */
final class VertxConnection implements HttpTransportCall.Carrier {

    private static final Logger LOG = LoggerFactory.getLogger(VertxConnection.class);

    /** How much of an error's text is kept. */
    private static final int MAX_ERROR_TEXT = 512;

    private final VertxLane lane;
    private final HttpClientConnection connection;
    private final RequestOptions target;
    private final int maxFrameBytes;
    private @Nullable HttpTransportCall current;
    private long idleSince = System.nanoTime();
    private boolean closed;

    VertxConnection(VertxLane lane, HttpClientConnection connection, RequestOptions target, int maxFrameBytes) {
        this.lane = lane;
        this.connection = connection;
        this.target = target;
        this.maxFrameBytes = maxFrameBytes;
        connection.exceptionHandler(e -> LOG.debug("connection to {} failed", connection.remoteAddress(), e));
        connection.closeHandler(gone -> closed());
    }

    @Nullable
    HttpTransportCall current() {
        return current;
    }

    long idleSince() {
        return idleSince;
    }

    /** Writes a call that is marked as sent. */
    void send(HttpTransportCall call) {
        current = call;
        call.carriedBy(this);
        connection.request(target).onComplete(result -> {
            if (result.failed()) {
                // Nothing was written: another connection may carry it.
                current = null;
                close();
                lane.sendAgain(call);
            } else {
                write(result.result(), call);
            }
        });
    }

    private void write(HttpClientRequest request, HttpTransportCall call) {
        byte[] frame = call.request();
        if (call.hasEnded()) {
            // Cancelled between being taken from the queue and here; the connection has an open request on it.
            close();
            return;
        }
        long micros = Math.max(1, TimeUnit.NANOSECONDS.toMicros(call.context().remainingNanos()));
        request.putHeader(HttpTransportServer.DEADLINE_HEADER, Long.toString(micros));
        request.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(frame.length));
        request.response().onComplete(result -> {
            if (result.failed()) {
                lost(call, result.cause());
            } else {
                read(result.result(), call);
            }
        });
        request.end(Buffer.buffer(frame));
    }

    private void read(HttpClientResponse response, HttpTransportCall call) {
        String declared = response.getHeader(HttpHeaders.CONTENT_LENGTH);
        int length = declared == null ? -1 : HttpTransportBody.length(declared);
        if (length < 0 || length > maxFrameBytes) {
            call.abandon("answered " + response.statusCode() + " with "
                    + (length < 0 ? "no usable length" : length + " bytes, over the limit of " + maxFrameBytes));
            close();
            return;
        }
        HttpTransportBody body = new HttpTransportBody(length);
        response.exceptionHandler(e -> lost(call, e));
        response.handler(body::add);
        response.endHandler(end -> {
            boolean reusable = !"close".equalsIgnoreCase(response.getHeader(HttpHeaders.CONNECTION));
            current = null;
            idleSince = System.nanoTime();
            if (!body.isComplete()) {
                call.abandon("the reply ended early");
                close();
                return;
            }
            if (reusable) {
                lane.release(this);
            } else {
                close();
            }
            finish(response, body.bytes(), call);
        });
    }

    private static void finish(HttpClientResponse response, byte[] body, HttpTransportCall call) {
        if (response.statusCode() == 200) {
            call.reply(body);
            return;
        }
        String text = Buffer.buffer(body).getString(0, Math.min(body.length, MAX_ERROR_TEXT));
        String why = "answered " + response.statusCode() + ": " + text;
        if (HttpListener.NOT_SENT.equals(response.getHeader(HttpListener.OUTCOME_HEADER))) {
            call.refused(why);
        } else {
            call.abandon(why);
        }
    }

    private void lost(HttpTransportCall call, Throwable cause) {
        call.abandon("connection lost before the reply: " + VertxLane.reason(cause));
        close();
    }

    /** Ends the connection; a call on it loses its reply. May be called repeatedly. */
    void close() {
        connection.close();
        closed();
    }

    private void closed() {
        if (closed) {
            return;
        }
        closed = true;
        HttpTransportCall call = current;
        current = null;
        lane.gone(this);
        if (call != null) {
            call.abandon("connection closed before the reply");
        }
    }

    /** HTTP/1.1 knows no other way to give up a call than to hang up. */
    @Override
    public void drop() {
        lane.onLoop(() -> {
            HttpTransportCall call = current;
            if (call != null && call.hasEnded()) {
                close();
            }
        });
    }
}
