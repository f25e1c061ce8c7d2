package io.dht4j.transport.http.internal.server;

import io.dht4j.ErrorCode;
import io.dht4j.OverloadedException;
import io.dht4j.transport.common.FloodCount;
import io.dht4j.transport.common.OpenFiles;
import io.dht4j.transport.common.options.ConnectionLimits;
import io.dht4j.transport.http.internal.common.ApiProtocol;
import io.dht4j.transport.http.internal.common.HttpProblem;
import io.dht4j.transport.http.internal.netty.AcceptedConnection;
import io.dht4j.transport.http.internal.netty.AcceptedConnections;
import io.dht4j.transport.http.internal.server.HttpTransportCallers.Verdict;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.transport.Transport;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks the connections of a listener: which of them may make requests, the caller that they count for, and the state
 * of HTTP/2. Methods for one connection must be called on its event loop; the others are safe for use by any number of
 * threads.
 */
public final class HttpConnections {

    private static final Logger LOG = LoggerFactory.getLogger(HttpConnections.class);
    private static final String CONTINUE = "100-continue";

    /** The number of possible connections below which a warning is logged, even with the default options. */
    private static final int MANY = 1_000;

    private final HttpListenerOptions options;
    private final OptionalLong openFiles;
    private final int possible;
    private final AcceptedConnections accepted;
    private final Map<HttpConnection, Link> links = new ConcurrentHashMap<>();

    /**
     * Creates an empty set of connections.
     *
     * @param openFiles how many files this process may have open; empty if that is unknown
     */
    HttpConnections(HttpListenerOptions options, OptionalLong openFiles) {
        this.options = options;
        this.openFiles = openFiles;
        this.possible = OpenFiles.connections(options.listener().connections().max(), openFiles);
        this.accepted = new AcceptedConnections(options.acceptLimits(possible), HttpProblem::refused);
    }

    /** A connection of the server and its state. */
    private static final class Link {

        /** The connection at the time of its acceptance. */
        private final AcceptedConnection accepted;

        /** Counts the frames that only HTTP/2 has. */
        private final @Nullable HttpFloodGuard guard;

        /** The identity of the peer, once it was checked. Belongs to the connection's event loop. */
        private @Nullable Verdict verdict;

        /** Since the last request that was carried out. For the event loop. */
        private final FloodCount refused = FloodCount.ofRefused();

        private final AtomicBoolean stopAnnounced = new AtomicBoolean();

        Link(AcceptedConnection accepted, @Nullable HttpFloodGuard guard) {
            this.accepted = accepted;
            this.guard = guard;
        }

        /**
         * Sends a GOAWAY that excludes no request, not even those in transit to this node: the client begins no further
         * one, and closes the connection after the last answer. Connections of peers continue.
         */
        @SuppressWarnings("deprecation") // the other way excludes requests in transit
        void announceStop(HttpConnection connection) {
            if (!accepted.isPeer() && stopAnnounced.compareAndSet(false, true)) {
                connection.goAway(0, Integer.MAX_VALUE);
            }
        }
    }

    /** Refuses further connections: the event loops are about to be closed. */
    void close() {
        accepted.close();
    }

    /** Returns the fastest available network access, which counts accepted connections. */
    public Transport transport() {
        Transport fastest = Transport.nativeTransport();
        return accepted.over(fastest != null && fastest.available() ? fastest : Transport.NIO);
    }

    /**
     * Warns if fewer connections are possible than the options allow. With default options, and many possible
     * connections, the message has a lower level.
     */
    void warnOfLimits() {
        int wanted = options.listener().connections().max();
        if (possible >= wanted) {
            return;
        }
        String warning = OpenFiles.warning(options.address().toString(), wanted, possible, openFiles);
        if (wanted == ConnectionLimits.defaults().max() && possible >= MANY) {
            LOG.debug(warning);
        } else {
            LOG.warn(warning);
        }
    }

    /** Returns the thread that accepts connections, once the port is bound. */
    Optional<Thread> acceptor() {
        return accepted.acceptor();
    }

    /** Returns how many are open. */
    public int open() {
        return accepted.open();
    }

    /** Handles a connection whose protocol the server has determined. */
    void connected(HttpConnection connection) {
        Optional<AcceptedConnection> known = accepted.of(connection);
        if (known.isEmpty()) {
            connection.close();
            return;
        }
        AcceptedConnection underneath = known.get();
        underneath.install();
        HttpFloodGuard guard = connection.protocolVersion() == HttpVersion.HTTP_2
                ? HttpFloodGuard.watch(connection, underneath::isPeer)
                : null;
        if (guard != null) {
            underneath.installHttp2(guard::streamReset);
        }
        links.put(connection, new Link(underneath, guard));
        connection.closeHandler(gone -> links.remove(connection));
        // Broken pipes and resets are normal; the request's own handlers see them where they matter.
        connection.exceptionHandler(e -> LOG.debug("connection from {} failed", connection.remoteAddress(), e));
    }

    /**
     * Checks whether a request may be handled whose head has come, and answers it if not. A request with a body is
     * checked again when the body has come, see {@link #requirePlace}: a head alone gets a connection no place.
     *
     * @param asksLater whether its handler asks for a place by itself, or it is a peer's
     */
    boolean admitsHead(HttpServerRequest request, boolean asksLater) {
        Link link = links.get(request.connection());
        if (link == null) {
            // It is closing.
            return true;
        }
        link.accepted.headCame();
        if (hasUnknownExpectation(request)) {
            refuse(
                    request,
                    HttpProblem.of(
                            417, ErrorCode.BAD_REQUEST, "the only expectation that this node can meet is " + CONTINUE));
            return false;
        }
        if (ApiProtocol.isProbe(request.path())) {
            if (!link.accepted.hasPlace()) {
                endAfterAnswer(request);
            }
            return true;
        }
        if (asksLater || bringsBody(request) || link.accepted.admitPublic()) {
            return true;
        }
        refuse(request, HttpProblem.of(ErrorCode.OVERLOADED, noPlace()));
        return false;
    }

    /**
     * Makes the answer to a public request announce that this node is about to stop, and makes it the last one of its
     * connection. Over HTTP/2 the client has received, or receives now, a GOAWAY.
     */
    public void answerLast(HttpServerRequest request) {
        request.response().putHeader(ApiProtocol.STOPPING_HEADER, "true");
        endAfterAnswer(request);
        if (request.version() == HttpVersion.HTTP_2) {
            Link link = links.get(request.connection());
            if (link != null) {
                link.announceStop(request.connection());
            }
        }
    }

    /** Announces to the clients of HTTP/2 that this node is about to stop. For any thread. */
    public void announceStop() {
        links.forEach((connection, link) -> {
            if (connection.protocolVersion() == HttpVersion.HTTP_2) {
                link.announceStop(connection);
            }
        });
    }

    /** Ends the connection after the answer. Over HTTP/2 it continues, and may have to give way. */
    private static void endAfterAnswer(HttpServerRequest request) {
        if (request.version() != HttpVersion.HTTP_2) {
            HttpListener.closing(request)
                    .endHandler(sent -> request.connection().close());
        }
    }

    /** Returns whether the request has an unknown expectation. Over HTTP/1.1 such a request is refused earlier. */
    private static boolean hasUnknownExpectation(HttpServerRequest request) {
        String expectation = request.version() == HttpVersion.HTTP_2 ? request.getHeader(HttpHeaders.EXPECT) : null;
        return expectation != null && !expectation.equalsIgnoreCase(CONTINUE);
    }

    private static boolean bringsBody(HttpServerRequest request) {
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        if (length != null) {
            return !length.strip().chars().allMatch(digit -> digit == '0');
        }
        return request.version() == HttpVersion.HTTP_2
                ? request.method().equals(HttpMethod.PUT) || request.method().equals(HttpMethod.POST)
                : request.headers().contains(HttpHeaders.TRANSFER_ENCODING);
    }

    private static void refuse(HttpServerRequest request, HttpProblem problem) {
        HttpListener.answer(HttpListener.closing(request), problem)
                .onComplete(sent -> request.connection().close());
    }

    private static String noPlace() {
        return "this node has as many connections, in all or from this address, as it takes";
    }

    /**
     * Requires a place for a complete public request before it is carried out.
     *
     * @return an action to run once, when the whole answer is sent or will never be; until then the connection does not
     *     give way to others
     * @throws OverloadedException if there is no place for such a connection, which ends with the answer
     */
    public Runnable requirePlace(HttpServerRequest request) {
        Link link = links.get(request.connection());
        if (link == null) {
            // It is closing.
            return () -> {};
        }
        if (!link.accepted.beginPublic()) {
            endAfterAnswer(request);
            throw new OverloadedException(noPlace());
        }
        link.refused.reset();
        return link.accepted::endPublic;
    }

    /**
     * Counts a public request that is about to be refused because of its sender. A client that sends only such requests
     * has to connect again.
     *
     * @param later runs an action on the event loop once the answer has been given
     */
    public void refused(HttpServerRequest request, Consumer<Runnable> later) {
        Link link = links.get(request.connection());
        if (link == null || !link.refused.isOneTooMany()) {
            return;
        }
        HttpFloodGuard guard = link.guard;
        if (guard == null) {
            endAfterAnswer(request);
        } else {
            later.accept(() -> guard.end(FloodCount.MAX_REFUSED + " requests in a row were refused"));
        }
    }

    /** Notes that a part of a public request's body has come over a connection. */
    public void bodyCame(HttpConnection connection) {
        Link link = links.get(connection);
        if (link != null) {
            link.accepted.bodyCame();
        }
    }

    /** Returns the identity of a connection's peer: judged at the first call, and kept as long as the connection. */
    Verdict verdict(HttpConnection connection, Supplier<Verdict> judge) {
        Link link = links.get(connection);
        if (link == null) {
            return judge.get();
        }
        Verdict known = link.verdict;
        if (known == null) {
            known = judge.get();
            link.verdict = known;
        }
        return known;
    }

    /** Notes that a whole frame of a peer has come over a connection. */
    public void provePeer(HttpConnection connection) {
        Link link = links.get(connection);
        if (link != null) {
            link.accepted.provePeer();
        }
    }

    /** Notes that a client has reset a stream of a connection. */
    public void streamReset(HttpConnection connection) {
        Link link = links.get(connection);
        if (link != null && link.guard != null) {
            link.guard.streamReset();
        }
    }
}
