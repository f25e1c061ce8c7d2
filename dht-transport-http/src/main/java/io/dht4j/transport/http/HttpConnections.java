package io.dht4j.transport.http;

import io.dht4j.ErrorCode;
import io.dht4j.OverloadedException;
import io.dht4j.transport.common.OpenFiles;
import io.dht4j.transport.http.HttpTransportCallers.Verdict;
import io.dht4j.transport.http.internal.AcceptedConnection;
import io.dht4j.transport.http.internal.AcceptedConnections;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.transport.Transport;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a listener: which of them may make requests, as whose they count, and what only HTTP/2 has. What
 * concerns one connection is to be called on its event loop; the rest is safe for use by any number of threads.
 */
final class HttpConnections {

    private static final Logger LOG = LoggerFactory.getLogger(HttpConnections.class);
    private static final String CONTINUE = "100-continue";

    /** So many requests in a row that are refused for who sends them end a connection. */
    static final int MAX_REFUSED = 1_000;

    /** Fewer connections than so many are worth a warning, also where nobody has asked for more. */
    private static final int MANY = 1_000;

    private final HttpListenerOptions options;
    private final OptionalLong openFiles;
    private final int possible;
    private final AcceptedConnections accepted;
    private final Map<HttpConnection, Link> links = new ConcurrentHashMap<>();

    /**
     * No connections.
     *
     * @param openFiles how many files this process may have open; empty if nobody knows
     */
    HttpConnections(HttpListenerOptions options, OptionalLong openFiles) {
        this.options = options;
        this.openFiles = openFiles;
        this.possible = OpenFiles.connections(options.connections().max(), openFiles);
        this.accepted = new AcceptedConnections(
                options.connections().at(possible, options.forPeers()), HttpApiProblem::refused);
    }

    /** A connection of the server, and what belongs to it. */
    private static final class Link {

        /** As what it was accepted. */
        private final AcceptedConnection accepted;

        /** Counts what only HTTP/2 has. */
        private final @Nullable HttpFloodGuard guard;

        /** Who the peer is, where that was asked. Belongs to the connection's event loop. */
        private @Nullable Verdict verdict;

        // Since the last request that was carried out. For the event loop.
        private int refused;
        private long refusedSince;

        Link(AcceptedConnection accepted, @Nullable HttpFloodGuard guard) {
            this.accepted = accepted;
            this.guard = guard;
        }

        boolean isRefusedOnceTooOften() {
            long now = System.nanoTime();
            if (refused == 0 || now - refusedSince > TimeUnit.SECONDS.toNanos(HttpFloodGuard.WINDOW_SECONDS)) {
                refused = 0;
                refusedSince = now;
            }
            refused++;
            return refused >= MAX_REFUSED;
        }
    }

    /** The fastest network access there is here, which counts what is accepted. */
    Transport transport() {
        Transport fastest = Transport.nativeTransport();
        return accepted.over(fastest != null && fastest.available() ? fastest : Transport.NIO);
    }

    /**
     * Tells if there can be fewer connections than the options say; where they say nothing, and many can be, quietly.
     */
    void warnOfLimits() {
        int wanted = options.connections().max();
        if (possible >= wanted) {
            return;
        }
        String warning = OpenFiles.warning(options.host() + ":" + options.port(), wanted, possible, openFiles);
        if (wanted == HttpConnectionLimits.DEFAULT_MAX && possible >= MANY) {
            LOG.info(warning);
        } else {
            LOG.warn(warning);
        }
    }

    /** How many are open. */
    int open() {
        return accepted.open();
    }

    /** The server has made out what a connection speaks. */
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
        links.put(connection, new Link(underneath, guard));
        connection.closeHandler(gone -> links.remove(connection));
        // Broken pipes and resets are everyday matters; the request's own handlers see them where they matter.
        connection.exceptionHandler(e -> LOG.debug("connection from {} failed", connection.remoteAddress(), e));
    }

    /**
     * Looks whether a request may be handled whose head has come, and answers it if not. One that brings a body is
     * looked at again when that is there, see {@link #requirePlace}: a head alone gets a connection no place.
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
                    HttpApiProblem.of(
                            417, ErrorCode.BAD_REQUEST, "the only expectation that this node can meet is " + CONTINUE));
            return false;
        }
        if (HttpApiProbes.isProbe(request)) {
            if (!link.accepted.hasPlace()) {
                endAfterAnswer(request);
            }
            return true;
        }
        if (asksLater || bringsBody(request) || link.accepted.admitPublic()) {
            return true;
        }
        refuse(request, HttpApiProblem.of(ErrorCode.OVERLOADED, noPlace()));
        return false;
    }

    /** Over HTTP/2 the connection goes on, and may have to give way. */
    private static void endAfterAnswer(HttpServerRequest request) {
        if (request.version() != HttpVersion.HTTP_2) {
            HttpListener.closing(request)
                    .endHandler(sent -> request.connection().close());
        }
    }

    /** Over HTTP/1.1 it does not come so far. */
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

    private static void refuse(HttpServerRequest request, HttpApiProblem problem) {
        HttpServerResponse response = HttpListener.closing(request)
                .setStatusCode(problem.status())
                .putHeader(HttpHeaders.CONTENT_TYPE, HttpApiProblem.CONTENT_TYPE);
        if (problem.retryLater()) {
            response.putHeader(HttpHeaders.RETRY_AFTER, "1");
        }
        response.end(problem.body()).onComplete(sent -> request.connection().close());
    }

    private static String noPlace() {
        return "this node has as many connections, in all or from this address, as it takes";
    }

    /**
     * A public request with its body has come over a connection, and is to be carried out.
     *
     * @return is to be run once, when the request has its whole answer or never will have; until then the connection
     *     does not give way to others
     * @throws OverloadedException if there is no place for such a connection, which ends with the answer
     */
    Runnable requirePlace(HttpServerRequest request) {
        Link link = links.get(request.connection());
        if (link == null) {
            // It is closing.
            return () -> {};
        }
        if (!link.accepted.beginPublic()) {
            endAfterAnswer(request);
            throw new OverloadedException(noPlace());
        }
        link.refused = 0;
        return link.accepted::endPublic;
    }

    /**
     * A public request is about to be refused for who sends it. Whoever sends nothing else has to connect again for it.
     *
     * @param later runs an action on the event loop once the answer has been given
     */
    void refused(HttpServerRequest request, Consumer<Runnable> later) {
        Link link = links.get(request.connection());
        if (link == null || !link.isRefusedOnceTooOften()) {
            return;
        }
        HttpFloodGuard guard = link.guard;
        if (guard == null) {
            endAfterAnswer(request);
        } else {
            later.accept(() -> guard.end(MAX_REFUSED + " requests in a row were refused"));
        }
    }

    /** A part of a public request's body has come over a connection. */
    void bodyCame(HttpConnection connection) {
        Link link = links.get(connection);
        if (link != null) {
            link.accepted.bodyCame();
        }
    }

    /**
     * Who is at the other end of a connection: judged when it is first asked, and remembered as long as the connection.
     */
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

    /** A whole frame of a peer has come over a connection. */
    void provePeer(HttpConnection connection) {
        Link link = links.get(connection);
        if (link != null) {
            link.accepted.provePeer();
        }
    }

    /** A client has reset a stream of a connection. */
    void streamReset(HttpConnection connection) {
        Link link = links.get(connection);
        if (link != null && link.guard != null) {
            link.guard.streamReset();
        }
    }
}
