package io.dht4j.transport.http;

import static java.util.Objects.requireNonNull;

import io.dht4j.Ranges;
import io.dht4j.transport.common.options.ListenAddress;
import io.dht4j.transport.common.options.PeerTransportOptions;
import io.dht4j.transport.http.internal.peer.PeerClientKind;
import io.dht4j.transport.http.internal.peer.PeerOptions;
import io.dht4j.transport.http.internal.server.HttpBrowserGuard;
import io.dht4j.transport.http.internal.server.HttpListenerOptions;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * The options of an {@link HttpTransport}: address, client and limits. Immutable. Every {@code with} method returns a
 * copy, and throws an {@link IllegalArgumentException} that names option, value and allowed range.
 */
public final class HttpTransportOptions extends PeerTransportOptions<HttpTransportOptions> {

    private final HttpClientKind client;
    /** Empty for the client's own default. */
    private final OptionalInt connectionsPerPeer;

    private final Duration headTimeout;
    private final List<String> publicHosts;

    private HttpTransportOptions(
            Settings settings,
            HttpClientKind client,
            OptionalInt connectionsPerPeer,
            Duration headTimeout,
            List<String> publicHosts) {
        super(settings);
        PeerClientKind kind = peerClientKind(client);
        connectionsPerPeer.ifPresent(
                connections -> Ranges.require("connectionsPerPeer", connections, 1, kind.maxConnections()));
        this.client = client;
        this.connectionsPerPeer = connectionsPerPeer;
        this.headTimeout = HttpListenerOptions.requireHeadTimeout(headTimeout);
        this.publicHosts = publicHosts;
    }

    private static PeerClientKind peerClientKind(HttpClientKind client) {
        if (client instanceof PeerClientKind kind) {
            return kind;
        }
        throw new IllegalArgumentException("client must be a constant of HttpClientKind or HttpClients, not "
                + client.label() + " of " + client.getClass().getName());
    }

    private HttpTransportOptions(Settings settings) {
        this(settings, HttpClientKind.VERTX, OptionalInt.empty(), HttpListenerOptions.DEFAULT_HEAD_TIMEOUT, List.of());
    }

    /**
     * Returns the defaults at an address.
     *
     * @param host the name or address to bind, for example {@code 127.0.0.1} or {@code 0.0.0.0}
     * @param port the port to bind, 1 to 65535, or 0 for any free one
     * @return options
     * @throws IllegalArgumentException if the host is blank or has a port, or the port is out of range
     */
    public static HttpTransportOptions at(String host, int port) {
        return new HttpTransportOptions(Settings.of(new ListenAddress(host, port), true));
    }

    /**
     * Returns the defaults for a member that calls peers and never listens, because it has no store.
     *
     * @return options; those of listening have no effect
     */
    public static HttpTransportOptions callingOnly() {
        return new HttpTransportOptions(Settings.of(new ListenAddress("127.0.0.1", 0), false));
    }

    @Override
    protected HttpTransportOptions with(Settings changed) {
        return new HttpTransportOptions(changed, client, connectionsPerPeer, headTimeout, publicHosts);
    }

    /**
     * Returns a copy with this client for the calls to peers. The nodes of a cluster may have different ones.
     *
     * @param kind a constant of {@link HttpClientKind} or of the module of further clients; by default
     *     {@link HttpClientKind#VERTX}
     * @return new options
     */
    public HttpTransportOptions withClient(HttpClientKind kind) {
        return new HttpTransportOptions(
                settings(), requireNonNull(kind, "kind"), connectionsPerPeer, headTimeout, publicHosts);
    }

    /**
     * Returns a copy with this number of connections to each peer. Together with the number of
     * {@linkplain HttpClientKind calls that one connection carries at a time} it bounds the calls in flight to a peer;
     * more wait in the queue.
     *
     * @param connections 1 to 10,000, with {@code java.net.http} over HTTP/2 1 to 16; Vert.x's clients (not its
     *     WebClient) round it up to a multiple of the event loops; by default 32, with pipelining 8, with
     *     {@link HttpClientKind#VERTX_H2} 2, with {@code java.net.http} over HTTP/2 1
     * @return new options
     */
    public HttpTransportOptions withConnectionsPerPeer(int connections) {
        return new HttpTransportOptions(settings(), client, OptionalInt.of(connections), headTimeout, publicHosts);
    }

    /**
     * Returns a copy with this time for the head of a request to arrive. It begins for a connection's first request
     * when the connection is accepted, for others with their first byte. After it the connection is closed.
     *
     * @param timeout 1 ms to 1 hour; by default 10 seconds
     * @return new options
     */
    public HttpTransportOptions withHeadTimeout(Duration timeout) {
        return new HttpTransportOptions(settings(), client, connectionsPerPeer, timeout, publicHosts);
    }

    /**
     * Returns a copy with a further name or address that peers and clients use for the node. Requests for another
     * {@code Host} are refused: they may come from a foreign page in a user's browser. {@code localhost}, addresses,
     * the names of the machine, the host at which the transport listens, and that of the node's own address in the
     * topology are always accepted, and so are calls of peers of release 0.2.0 or later.
     *
     * @param host a name, or an address, without a port; capitals do not matter
     * @return new options
     */
    public HttpTransportOptions withPublicHost(String host) {
        Stream<String> more = Stream.of(HttpBrowserGuard.requireHost(host));
        return new HttpTransportOptions(
                settings(),
                client,
                connectionsPerPeer,
                headTimeout,
                Stream.concat(publicHosts.stream(), more).toList());
    }

    /**
     * Returns the client that calls peers.
     *
     * @return the kind
     */
    public HttpClientKind client() {
        return client;
    }

    /**
     * Returns the number of connections to each peer.
     *
     * @return the number that is set, or the client's default
     */
    public int connectionsPerPeer() {
        return connectionsPerPeer.orElse(peerClientKind().defaultConnections());
    }

    /** Returns the client as the transport uses it. */
    PeerClientKind peerClientKind() {
        return peerClientKind(client);
    }

    List<String> publicHosts() {
        return publicHosts;
    }

    /** Returns the options of the calls to peers. */
    PeerOptions peers() {
        return new PeerOptions(limits(), connectionsPerPeer(), connectTimeout(), keepAlive());
    }

    HttpListenerOptions listenerOptions() {
        return new HttpListenerOptions(address(), eventLoops(), listener(), headTimeout, true);
    }
}
