package io.dht4j.transport.http;

import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.TlsFiles;
import io.dht4j.transport.common.OptionChecks;
import io.dht4j.transport.http.internal.peer.PeerOptions;
import io.dht4j.transport.http.internal.server.HttpConnectionLimits;
import io.dht4j.transport.http.internal.server.HttpListenerOptions;
import io.dht4j.transport.http.internal.server.HttpTransportLimits;
import java.time.Duration;
import java.util.Optional;

/**
 * The options of an {@link HttpTransport}: addresses and limits. Immutable. Every {@code with} method returns a copy,
 * and throws an {@link IllegalArgumentException} that names option, value and allowed range.
 */
public final class HttpTransportOptions {

    private final boolean listens;
    private final String host;
    private final int port;
    private final HttpClientKind client;
    private final Optional<TlsFiles> tls;
    private final boolean plaintextAllowed;
    private final String plaintextOption;
    private final int eventLoops;
    private final int maxFrameBytes;
    private final Optional<Integer> givenConnections;
    private final int connectionsPerPeer;
    private final int maxQueuedPerPeer;
    private final long maxQueuedBytesPerPeer;
    private final Duration connectTimeout;
    private final int maxInFlight;
    private final long maxInFlightBytes;
    private final int maxConnections;
    private final Optional<Integer> maxConnectionsPerAddress;
    private final Duration headTimeout;
    private final Duration idleTimeout;
    private final Duration drainTimeout;

    private HttpTransportOptions(Draft draft) {
        this.listens = draft.listens;
        this.host = draft.host;
        this.port = draft.port;
        this.client = draft.client;
        this.tls = draft.tls;
        this.plaintextAllowed = draft.plaintextAllowed;
        this.plaintextOption = draft.plaintextOption;
        this.eventLoops = draft.eventLoops;
        this.maxFrameBytes = draft.maxFrameBytes;
        this.givenConnections = draft.connectionsPerPeer;
        this.connectionsPerPeer = draft.connectionsPerPeer.orElse(draft.client.defaultConnections());
        this.maxQueuedPerPeer = draft.maxQueuedPerPeer;
        this.maxQueuedBytesPerPeer = draft.maxQueuedBytesPerPeer;
        this.connectTimeout = draft.connectTimeout;
        this.maxInFlight = draft.maxInFlight;
        this.maxInFlightBytes = draft.maxInFlightBytes;
        this.maxConnections = draft.maxConnections;
        this.maxConnectionsPerAddress = draft.maxConnectionsPerAddress;
        this.headTimeout = draft.headTimeout;
        this.idleTimeout = draft.idleTimeout;
        this.drainTimeout = draft.drainTimeout;
        listener();
        OptionChecks.range("maxFrameBytes", maxFrameBytes, 1024, 1 << 30);
        OptionChecks.range("connectionsPerPeer", connectionsPerPeer, 1, client.maxConnections());
        OptionChecks.range("maxQueuedPerPeer", maxQueuedPerPeer, 1, 10_000_000);
        OptionChecks.range("maxQueuedBytesPerPeer", maxQueuedBytesPerPeer, 1, Long.MAX_VALUE / 2);
        OptionChecks.range("connectTimeout", connectTimeout, Duration.ofMillis(1), Duration.ofMinutes(10));
        OptionChecks.range("maxInFlight", maxInFlight, 1, 10_000_000);
        OptionChecks.range("maxInFlightBytes", maxInFlightBytes, maxFrameBytes, Long.MAX_VALUE / 2);
    }

    /**
     * Returns the defaults at an address.
     *
     * @param host the name or address to bind, for example {@code 127.0.0.1} or {@code 0.0.0.0}
     * @param port the port to bind, 1 to 65535, or 0 for any free one
     * @return options
     * @throws IllegalArgumentException if the host is blank or the port out of range
     */
    public static HttpTransportOptions at(String host, int port) {
        Draft draft = new Draft();
        draft.host = host;
        draft.port = port;
        return new HttpTransportOptions(draft);
    }

    /**
     * Returns the defaults for a member that calls peers and never listens, because it stores nothing.
     *
     * @return options; those of listening have no effect
     */
    public static HttpTransportOptions callingOnly() {
        Draft draft = new Draft();
        draft.listens = false;
        draft.host = "127.0.0.1";
        return new HttpTransportOptions(draft);
    }

    /**
     * Returns a copy with this client for the calls to peers. The nodes of a cluster may have different ones.
     *
     * @param kind by default {@link HttpClientKind#VERTX}
     * @return new options
     */
    public HttpTransportOptions withClient(HttpClientKind kind) {
        Draft draft = new Draft(this);
        draft.client = kind;
        return new HttpTransportOptions(draft);
    }

    /**
     * Returns a copy with TLS for everything on the port and to peers. Peers authenticate each other. The called node
     * must show a certificate with its name, and the caller one with a name that
     * {@link io.dht4j.spi.FrameHandler#mayCall} accepts. It must be the same on all nodes.
     *
     * @param files certificate, key and authorities
     * @return new options
     * @throws IllegalArgumentException if one of the three is missing
     */
    public HttpTransportOptions withTls(TlsFiles files) {
        Draft draft = new Draft(this);
        draft.tls = Optional.of(files);
        return new HttpTransportOptions(draft);
    }

    /**
     * Returns a copy that may send plaintext beyond loopback. A warning is logged at the start.
     *
     * @return new options
     */
    public HttpTransportOptions withPlaintextAllowed() {
        Draft draft = new Draft(this);
        draft.plaintextAllowed = true;
        return new HttpTransportOptions(draft);
    }

    /**
     * Does the same as {@link #withPlaintextAllowed()}, for an application whose users set an option of its own.
     *
     * @param option the name of that option, for the warning
     * @return new options
     */
    public HttpTransportOptions withPlaintextAllowed(String option) {
        Draft draft = new Draft(this);
        draft.plaintextAllowed = true;
        draft.plaintextOption = option;
        return new HttpTransportOptions(draft);
    }

    /**
     * Returns a copy with the limits of this budget: the size of frames that hold a largest value, the bytes of frames
     * that are held, and the bytes that wait for a connection to a peer. It replaces what was set of these before; what
     * is set afterwards replaces it.
     *
     * @param memory the node's, by default that of the heap
     * @return new options
     */
    public HttpTransportOptions withMemory(MemoryBudget memory) {
        Draft draft = new Draft(this);
        draft.maxFrameBytes = (int) Math.min(1L << 30, Math.max(17L << 20, memory.maxValueBytes() + (1L << 20)));
        draft.maxInFlightBytes = memory.frameBytes(draft.maxFrameBytes);
        draft.maxQueuedBytesPerPeer = memory.queueBytes(draft.maxFrameBytes);
        return new HttpTransportOptions(draft);
    }

    /**
     * Returns a copy with this number of event loop threads. They serve peers, the public API where it shares the port,
     * and the calls to peers.
     *
     * @param threads 1 to 256; by default 2, or 1 on a machine of one core
     * @return new options
     */
    public HttpTransportOptions withEventLoops(int threads) {
        Draft draft = new Draft(this);
        draft.eventLoops = threads;
        return new HttpTransportOptions(draft);
    }

    /**
     * Returns a copy with this largest frame. It must be the same on all nodes, and larger than the largest value.
     *
     * @param bytes 1 KiB to 1 GiB, for requests and for replies; by default 17 MiB
     * @return new options
     */
    public HttpTransportOptions withMaxFrameBytes(int bytes) {
        Draft draft = new Draft(this);
        draft.maxFrameBytes = bytes;
        return new HttpTransportOptions(draft);
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
        Draft draft = new Draft(this);
        draft.connectionsPerPeer = Optional.of(connections);
        return new HttpTransportOptions(draft);
    }

    /**
     * Returns a copy with this bound on calls that wait for a connection to a peer. Calls beyond it fail at once, as
     * not sent. A higher bound survives longer pauses and costs memory.
     *
     * @param calls 1 to 10,000,000; Vert.x's clients (not its WebClient) divide it evenly between the event loops; by
     *     default 16,384
     * @return new options
     */
    public HttpTransportOptions withMaxQueuedPerPeer(int calls) {
        Draft draft = new Draft(this);
        draft.maxQueuedPerPeer = calls;
        return new HttpTransportOptions(draft);
    }

    /**
     * Returns a copy with this bound on the bytes of unfinished calls to a peer, waiting or sent. Calls beyond it fail
     * at once, as not sent. A single frame of any size passes when no other is in flight. The bound keeps a peer that
     * hangs from holding the memory of its callers.
     *
     * @param bytes 1 or more; Vert.x's clients (not its WebClient) divide it evenly between the event loops; by default
     *     256 MiB, or an eighth of the heap if that is less
     * @return new options
     */
    public HttpTransportOptions withMaxQueuedBytesPerPeer(long bytes) {
        Draft draft = new Draft(this);
        draft.maxQueuedBytesPerPeer = bytes;
        return new HttpTransportOptions(draft);
    }

    /**
     * Returns a copy with this time to connect to a peer. It matters only for machines that do not answer at all: a
     * closed port is detected at once.
     *
     * @param timeout 1 ms to 10 minutes; by default 2 seconds
     * @return new options
     */
    public HttpTransportOptions withConnectTimeout(Duration timeout) {
        Draft draft = new Draft(this);
        draft.connectTimeout = timeout;
        return new HttpTransportOptions(draft);
    }

    /**
     * Returns a copy with this bound on the peers' requests in flight. Requests beyond it are refused, and fail at
     * their caller as not sent.
     *
     * @param requests 1 to 10,000,000; by default 16,384
     * @return new options
     */
    public HttpTransportOptions withMaxInFlight(int requests) {
        Draft draft = new Draft(this);
        draft.maxInFlight = requests;
        return new HttpTransportOptions(draft);
    }

    /**
     * Returns a copy with this bound on the bytes of the peers' requests in flight and of the replies that are being
     * written. Requests beyond it are refused, and fail at their caller as not sent.
     *
     * @param bytes at least the largest frame; by default 512 MiB, or a quarter of the heap if that is less (but no
     *     less than the largest frame)
     * @return new options
     */
    public HttpTransportOptions withMaxInFlightBytes(long bytes) {
        Draft draft = new Draft(this);
        draft.maxInFlightBytes = bytes;
        return new HttpTransportOptions(draft);
    }

    /**
     * Returns a copy with this bound on connections, of peers and others. Beyond it those over which no whole request
     * has come give way, the oldest first; without such connections, new ones are closed as soon as they are accepted.
     * A quarter of the places is kept for peers. A limit of open files that is too low for them lowers it, with a
     * warning at the start.
     *
     * @param connections 1 to 1,000,000; by default 10,000
     * @return new options
     */
    public HttpTransportOptions withMaxConnections(int connections) {
        Draft draft = new Draft(this);
        draft.maxConnections = connections;
        return new HttpTransportOptions(draft);
    }

    /**
     * Returns a copy with this idle timeout. After it an accepted connection over which nothing moves is closed, even
     * while a request waits for its reply: no call lasts longer. Calling nodes close their connections after half of
     * it. The exception is {@code java.net.http}, which has one time for the whole JVM
     * ({@code jdk.httpclient.keepalive.timeout}).
     *
     * @param timeout 1 second to 2 hours; by default 60 seconds
     * @return new options
     */
    public HttpTransportOptions withIdleTimeout(Duration timeout) {
        Draft draft = new Draft(this);
        draft.idleTimeout = timeout;
        return new HttpTransportOptions(draft);
    }

    /**
     * Returns a copy with this bound on the connections that one remote address may use for the public API. Those of
     * peers do not count. IPv6 addresses count as one if they share their first 64 bits.
     *
     * @param connections 1 to 1,000,000; by default half of {@code maxConnections}
     * @return new options
     */
    public HttpTransportOptions withMaxConnectionsPerAddress(int connections) {
        Draft draft = new Draft(this);
        draft.maxConnectionsPerAddress = Optional.of(connections);
        return new HttpTransportOptions(draft);
    }

    /**
     * Returns a copy with this time for the head of a request to arrive. It begins for a connection's first request
     * when the connection is accepted, for others with their first byte. After it the connection is closed.
     *
     * @param timeout 1 ms to 1 hour; by default 10 seconds
     * @return new options
     */
    public HttpTransportOptions withHeadTimeout(Duration timeout) {
        Draft draft = new Draft(this);
        draft.headTimeout = timeout;
        return new HttpTransportOptions(draft);
    }

    /**
     * Returns a copy with this time that closing gives to requests in flight.
     *
     * @param timeout 0 to 10 minutes; by default 3 seconds
     * @return new options
     */
    public HttpTransportOptions withDrainTimeout(Duration timeout) {
        Draft draft = new Draft(this);
        draft.drainTimeout = timeout;
        return new HttpTransportOptions(draft);
    }

    /**
     * Returns the host to bind.
     *
     * @return a name or an address
     */
    public String host() {
        return host;
    }

    /**
     * Returns the port to bind.
     *
     * @return 1 to 65535, or 0 for any free port
     */
    public int port() {
        return port;
    }

    /**
     * Returns the size of the largest frame.
     *
     * @return bytes
     */
    public int maxFrameBytes() {
        return maxFrameBytes;
    }

    /**
     * Returns the client that calls peers.
     *
     * @return the kind
     */
    public HttpClientKind client() {
        return client;
    }

    /** Returns whether to listen at all. */
    boolean listens() {
        return listens;
    }

    Optional<TlsFiles> tls() {
        return tls;
    }

    boolean plaintextAllowed() {
        return plaintextAllowed;
    }

    String plaintextOption() {
        return plaintextOption;
    }

    int connectionsPerPeer() {
        return connectionsPerPeer;
    }

    Duration drainTimeout() {
        return drainTimeout;
    }

    /**
     * Returns the options of the calls to peers. Unused connections to them end before the peers' idle timeout, so that
     * this side closes first.
     */
    PeerOptions peers() {
        return new PeerOptions(
                maxFrameBytes,
                connectionsPerPeer,
                maxQueuedPerPeer,
                maxQueuedBytesPerPeer,
                connectTimeout,
                idleTimeout.dividedBy(2));
    }

    /** Returns the bounds of the endpoint for peers. */
    HttpTransportLimits endpoint() {
        return new HttpTransportLimits(maxFrameBytes, maxInFlight, maxInFlightBytes);
    }

    HttpListenerOptions listener() {
        HttpConnectionLimits connections =
                new HttpConnectionLimits(maxConnections, maxConnectionsPerAddress, headTimeout);
        return new HttpListenerOptions(host, port, eventLoops, connections, idleTimeout, drainTimeout)
                .servingPeers()
                .secured(tls, plaintextAllowed, plaintextOption);
    }

    /** The same fields, mutable. */
    private static final class Draft {

        private boolean listens = true;
        private String host = "";
        private int port;
        private HttpClientKind client = HttpClientKind.VERTX;
        private Optional<TlsFiles> tls = Optional.empty();
        private boolean plaintextAllowed;
        private String plaintextOption = "withPlaintextAllowed()";
        private int eventLoops = HttpListenerOptions.defaultEventLoops();
        private int maxFrameBytes = 17 << 20;
        /** The default depends on the client. */
        private Optional<Integer> connectionsPerPeer = Optional.empty();

        private int maxQueuedPerPeer = 16_384;
        private long maxQueuedBytesPerPeer = MemoryBudget.ofHeap().queueBytes(maxFrameBytes);
        private Duration connectTimeout = Duration.ofSeconds(2);
        private int maxInFlight = 16_384;
        private long maxInFlightBytes = MemoryBudget.ofHeap().frameBytes(maxFrameBytes);
        private int maxConnections = HttpConnectionLimits.DEFAULT_MAX;
        private Optional<Integer> maxConnectionsPerAddress = Optional.empty();
        private Duration headTimeout = HttpConnectionLimits.DEFAULT_HEAD_TIMEOUT;
        private Duration idleTimeout = Duration.ofSeconds(60);
        private Duration drainTimeout = Duration.ofSeconds(3);

        Draft() {}

        Draft(HttpTransportOptions from) {
            listens = from.listens;
            host = from.host;
            port = from.port;
            client = from.client;
            tls = from.tls;
            plaintextAllowed = from.plaintextAllowed;
            plaintextOption = from.plaintextOption;
            eventLoops = from.eventLoops;
            maxFrameBytes = from.maxFrameBytes;
            connectionsPerPeer = from.givenConnections;
            maxQueuedPerPeer = from.maxQueuedPerPeer;
            maxQueuedBytesPerPeer = from.maxQueuedBytesPerPeer;
            connectTimeout = from.connectTimeout;
            maxInFlight = from.maxInFlight;
            maxInFlightBytes = from.maxInFlightBytes;
            maxConnections = from.maxConnections;
            maxConnectionsPerAddress = from.maxConnectionsPerAddress;
            headTimeout = from.headTimeout;
            idleTimeout = from.idleTimeout;
            drainTimeout = from.drainTimeout;
        }
    }
}
