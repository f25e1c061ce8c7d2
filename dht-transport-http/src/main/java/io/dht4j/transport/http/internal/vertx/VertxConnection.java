package io.dht4j.transport.http.internal.vertx;

import io.dht4j.spi.Frame;
import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.http.internal.peer.PeerBody;
import io.dht4j.transport.http.internal.peer.PeerProtocol;
import io.dht4j.transport.http.internal.peer.PeerReply;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientConnection;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.StreamResetException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to a peer and the calls on it. For its lane's event loop only. An HTTP/2 connection outlives its
 * abandoned calls. An HTTP/1.1 connection then accepts no further calls, and ends with the last one that it carries.
 *
 * <p>A deadline that passes without received bytes makes the connection suspect: TCP reports a cut network only after
 * minutes. HTTP/2 then sends a ping, which has as much time as the call had. Until the answer no further call is sent.
 */
final class VertxConnection {

    private static final Logger LOG = LoggerFactory.getLogger(VertxConnection.class);

    /** HTTP/2's error code for a stream that is no longer wanted. */
    private static final long CANCEL = 8;

    /** The length of a ping's payload by RFC 9113. */
    private static final int PING_BYTES = 8;

    /** The least time for the answer to a ping: a pause of the peer's process must not cost the other calls. */
    private static final long LEAST_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final VertxLane lane;
    private final HttpClientConnection connection;
    private final VertxTarget target;
    private final int capacity;
    private final Set<Exchange> exchanges = new HashSet<>();
    private long idleSince = System.nanoTime();
    /** When the last bytes came. */
    private long heardAt = System.nanoTime();

    /** Whether the peer has ever answered on it. */
    private boolean isHeard;

    private boolean doubted;
    private boolean retired;
    private boolean closed;

    VertxConnection(VertxLane lane, HttpClientConnection connection, VertxTarget target) {
        this.lane = lane;
        this.connection = connection;
        this.target = target;
        this.capacity = target.http2()
                ? (int) Math.min(target.callsPerConnection(), Math.max(1, connection.maxActiveStreams()))
                : target.callsPerConnection();
        connection.exceptionHandler(
                e -> LOG.debug("connection to {} failed: {}", connection.remoteAddress(), String.valueOf(e)));
        connection.closeHandler(
                gone -> closed("connection closed before the reply" + (isHeard ? "" : PeerReply.IF_ALWAYS_CLOSED)));
        if (target.http2()) {
            connection.shutdownHandler(away -> retire());
        }
    }

    /** Returns how many calls are on it, including abandoned ones that still take a place. */
    int load() {
        return exchanges.size();
    }

    boolean hasRoom() {
        return !closed && !retired && !doubted && exchanges.size() < capacity;
    }

    /** Returns since when it carries no call; meaningless while it does. */
    long idleSince() {
        return idleSince;
    }

    /** Ends the calls whose deadline has passed. */
    void expire(long now) {
        List<Exchange> due = exchanges.stream()
                .filter(exchange -> exchange.call.deadline() - now <= 0 && !exchange.call.hasEnded())
                .toList();
        long silent = 0;
        for (Exchange exchange : due) {
            if (exchange.sentAt - heardAt > 0) {
                silent = Math.max(silent, now - exchange.sentAt);
            }
        }
        if (silent > 0) {
            // Before its places are free for others.
            doubt(silent);
            lane.doubtUnused(silent, now - silent);
        }
        for (Exchange exchange : due) {
            if (exchange.call.expire()) {
                exchange.giveUp();
            }
        }
    }

    /** Returns when the last bytes came over it. */
    long heardAt() {
        return heardAt;
    }

    /**
     * Closes the connection unless the peer answers a ping in time. HTTP/1.1 has no ping: an HTTP/1.1 connection
     * without calls is closed at once.
     */
    void doubt(long nanos) {
        if (doubted || closed) {
            return;
        }
        if (!target.http2()) {
            if (exchanges.isEmpty()) {
                close("connection closed, since the peer was silent");
            }
            return;
        }
        doubted = true;
        lane.unavailable(this);
        long since = System.nanoTime();
        connection.ping(Buffer.buffer(new byte[PING_BYTES])).onComplete(answer -> {
            if (answer.succeeded()) {
                heard();
            }
        });
        lane.after(Math.max(nanos, LEAST_PATIENCE_NANOS), () -> {
            if (doubted && heardAt - since < 0) {
                close("connection closed, since the peer was silent");
            }
        });
    }

    private void heard() {
        heardAt = System.nanoTime();
        isHeard = true;
        if (doubted) {
            doubted = false;
            if (hasRoom()) {
                lane.release(this);
            }
        }
    }

    /** Returns the time until the earliest deadline of a call on it, or {@code most} if that is less. */
    long untilDeadline(long now, long most) {
        long earliest = most;
        for (Exchange exchange : exchanges) {
            if (!exchange.call.hasEnded()) {
                earliest = Math.min(earliest, exchange.call.deadline() - now);
            }
        }
        return earliest;
    }

    /** Writes a call that is marked as sent. */
    void send(PeerCall call) {
        Exchange exchange = new Exchange(call);
        exchanges.add(exchange);
        call.carriedBy(exchange);
        connection.request(target.request()).onComplete(result -> {
            if (result.succeeded()) {
                exchange.write(result.result());
            } else if (exchanges.remove(exchange)) {
                // It was not written: another connection may carry it.
                retire();
                lane.sendAgain(call);
            }
        });
    }

    /** Takes no further calls, and ends with the last one that has a waiting caller. */
    private void retire() {
        retired = true;
        lane.unavailable(this);
        if (exchanges.stream().allMatch(exchange -> exchange.call.hasEnded())) {
            close("connection closed");
        }
    }

    private void done(Exchange exchange, boolean reusable) {
        if (!exchanges.remove(exchange)) {
            return;
        }
        if (exchanges.isEmpty()) {
            idleSince = System.nanoTime();
        }
        if (retired || !reusable) {
            retire();
        } else {
            lane.release(this);
        }
    }

    /** Ends the connection; calls on it lose their replies. May be called repeatedly. */
    void close(String why) {
        connection.close();
        closed(why);
    }

    private void closed(String why) {
        if (closed) {
            return;
        }
        closed = true;
        List<Exchange> lost = new ArrayList<>(exchanges);
        exchanges.clear();
        lane.gone(this);
        lost.forEach(exchange -> exchange.call.abandon(why));
    }

    /** One call on the connection. */
    private final class Exchange implements PeerCall.Carrier {

        private final PeerCall call;
        private final long sentAt = System.nanoTime();
        private @Nullable HttpClientRequest request;
        private boolean dropped;

        Exchange(PeerCall call) {
            this.call = call;
        }

        void write(HttpClientRequest opened) {
            request = opened;
            Frame frame = call.request();
            if (call.hasEnded()) {
                // Cancelled after it was taken from the queue; the connection has an open request on it.
                giveUp();
                return;
            }
            opened.putHeader(PeerProtocol.DEADLINE_HEADER, PeerProtocol.deadline(call));
            opened.putHeader(PeerProtocol.PEER_HEADER, PeerProtocol.PEER);
            opened.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(frame.length()));
            opened.response().onComplete(result -> {
                if (result.failed()) {
                    lost(result.cause());
                } else {
                    read(result.result());
                }
            });
            // Without memory for the socket's copy it fails, and the connection stays open: the peer would wait for the
            // rest.
            opened.end(PeerBody.buffer(frame)).onFailure(this::lost);
        }

        private void read(HttpClientResponse response) {
            heard();
            String declared = response.getHeader(HttpHeaders.CONTENT_LENGTH);
            int length = declared == null ? -1 : PeerBody.length(declared);
            if (length < 0 || length > target.maxFrameBytes()) {
                call.abandon(PeerReply.unusable(response.statusCode(), length, target.maxFrameBytes()));
                giveUp();
                return;
            }
            PeerBody body = new PeerBody(length);
            response.exceptionHandler(this::lost);
            response.handler(bytes -> {
                heard();
                add(body, bytes);
            });
            response.endHandler(end -> {
                boolean reusable =
                        target.http2() || !"close".equalsIgnoreCase(response.getHeader(HttpHeaders.CONNECTION));
                if (!body.isComplete()) {
                    call.abandon("the reply ended early");
                }
                boolean forbidden = response.statusCode() == PeerProtocol.FORBIDDEN;
                if (forbidden) {
                    lane.renew();
                }
                done(this, reusable && body.isComplete() && !forbidden);
                PeerReply.finish(
                        call, response.statusCode(), response.getHeader(PeerProtocol.OUTCOME_HEADER), body.take());
            });
        }

        private void add(PeerBody body, Buffer bytes) {
            if (call.hasEnded()) {
                return;
            }
            try {
                body.add(bytes);
            } catch (OutOfMemoryError e) {
                body.take();
                call.abandon(PeerReply.NO_MEMORY);
                giveUp();
            }
        }

        private void lost(Throwable cause) {
            String why = "connection lost before the reply: " + PeerReply.reason(cause);
            call.abandon(why);
            if (target.http2() && cause instanceof StreamResetException) {
                if (!dropped) {
                    heard();
                }
                done(this, true);
            } else {
                close(why);
            }
        }

        @Override
        public void drop() {
            lane.onLoop(this::giveUp);
        }

        /** Handles a call that has ended without a reply. */
        void giveUp() {
            if (!exchanges.contains(this)) {
                return;
            }
            if (!target.http2()) {
                retire();
            } else if (request != null) {
                // Vert.x reports this end as one by the peer.
                dropped = true;
                request.reset(CANCEL);
                done(this, true);
            }
            // Otherwise the stream is being opened, and is abandoned then.
        }
    }
}
