package io.dht4j.transport.http.internal.server;

import io.dht4j.transport.common.FloodCount;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends an HTTP/2 connection that carries more free frames than any client needs: stream resets, pings and settings. A
 * stream that this node resets counts too, since the client's errors make it do so. The client receives the reason.
 * Peers are exempt: an abandoned call resets its stream, and an authorized peer has more harmful means anyway. Belongs
 * to the connection's event loop.
 */
final class HttpFloodGuard {

    /**
     * The bound on resets. An abandoned call resets its stream, and a proxy has those of all its users on one
     * connection.
     */
    static final int MAX_RESETS = 6_000;

    private static final int MAX_PINGS = 200;
    private static final int MAX_SETTINGS = 50;

    /** ENHANCE_YOUR_CALM of RFC 9113. */
    private static final long ENHANCE_YOUR_CALM = 11;

    private static final Logger LOG = LoggerFactory.getLogger(HttpFloodGuard.class);

    private final HttpConnection connection;
    private final BooleanSupplier isPeer;
    private final FloodCount resets = new FloodCount(MAX_RESETS);
    private final FloodCount pings = new FloodCount(MAX_PINGS);
    private final FloodCount settings = new FloodCount(MAX_SETTINGS);
    private boolean ended;

    private HttpFloodGuard(HttpConnection connection, BooleanSupplier isPeer) {
        this.connection = connection;
        this.isPeer = isPeer;
    }

    /**
     * Watches an HTTP/2 connection from now on.
     *
     * @param isPeer whether the other end has proved to be a peer
     */
    static HttpFloodGuard watch(HttpConnection connection, BooleanSupplier isPeer) {
        HttpFloodGuard guard = new HttpFloodGuard(connection, isPeer);
        connection.pingHandler(ping -> guard.count(guard.pings, "pings"));
        connection.remoteSettingsHandler(changed -> guard.count(guard.settings, "settings"));
        return guard;
    }

    /** Counts a stream that was reset, by the client or by this node because of the client's error. */
    void streamReset() {
        count(resets, "streams reset");
    }

    private void count(FloodCount frames, String name) {
        if (!isPeer.getAsBoolean() && frames.isOneTooMany()) {
            end("more than " + frames.most() + " " + name + " in " + FloodCount.WINDOW_SECONDS + " s");
        }
    }

    /** Ends the connection, and sends the client the reason. A second call does nothing. */
    @SuppressWarnings("deprecation") // the server logs no other reason for the end of a connection
    void end(String why) {
        if (ended) {
            return;
        }
        ended = true;
        LOG.info("closing the connection of {}: {}", connection.remoteAddress(), why);
        connection.goAway(ENHANCE_YOUR_CALM, -1, Buffer.buffer(why));
        connection.close();
    }
}
