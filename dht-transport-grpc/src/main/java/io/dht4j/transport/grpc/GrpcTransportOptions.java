package io.dht4j.transport.grpc;

import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.TlsFiles;
import io.dht4j.transport.common.OptionChecks;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The options of a {@link GrpcTransport}: addresses, calls and limits. Immutable. Every {@code with} method returns a
 * copy, and throws an {@link IllegalArgumentException} that names option, value and allowed range.
 */
public final class GrpcTransportOptions {

    private final String host;
    private final int port;
    private final boolean listening;
    private final GrpcMode mode;
    private final Optional<TlsFiles> tls;
    private final boolean plaintextAllowed;
    private final String plaintextOption;
    private final int eventLoops;
    private final int maxFrameBytes;
    private final int connectionsPerPeer;
    private final int maxQueuedPerPeer;
    private final long maxQueuedBytesPerPeer;
    private final Duration connectTimeout;
    private final int maxInFlight;
    private final long maxInFlightBytes;
    private final int maxConnections;
    private final OptionalInt maxConnectionsPerAddress;
    private final Duration idleTimeout;
    private final Duration drainTimeout;

    private GrpcTransportOptions(Draft draft) {
        this.host = draft.host;
        this.port = draft.port;
        this.listening = draft.listening;
        this.mode = draft.mode;
        this.tls = draft.tls;
        this.plaintextAllowed = draft.plaintextAllowed;
        this.plaintextOption = draft.plaintextOption;
        this.eventLoops = draft.eventLoops;
        this.maxFrameBytes = draft.maxFrameBytes;
        this.connectionsPerPeer = draft.connectionsPerPeer;
        this.maxQueuedPerPeer = draft.maxQueuedPerPeer;
        this.maxQueuedBytesPerPeer = draft.maxQueuedBytesPerPeer;
        this.connectTimeout = draft.connectTimeout;
        this.maxInFlight = draft.maxInFlight;
        this.maxInFlightBytes = draft.maxInFlightBytes;
        this.maxConnections = draft.maxConnections;
        this.maxConnectionsPerAddress = draft.maxConnectionsPerAddress;
        this.idleTimeout = draft.idleTimeout;
        this.drainTimeout = draft.drainTimeout;
        if (host.isBlank()) {
            throw new IllegalArgumentException("host must be a name or an address, not \"" + host + "\"");
        }
        OptionChecks.range("port", port, 0, 65_535);
        OptionChecks.range("eventLoops", eventLoops, 1, 256);
        OptionChecks.range("maxFrameBytes", maxFrameBytes, 1024, 1 << 30);
        OptionChecks.range("connectionsPerPeer", connectionsPerPeer, 1, 256);
        OptionChecks.range("maxQueuedPerPeer", maxQueuedPerPeer, 1, 10_000_000);
        OptionChecks.range("maxQueuedBytesPerPeer", maxQueuedBytesPerPeer, 1, Long.MAX_VALUE / 2);
        OptionChecks.range("connectTimeout", connectTimeout, Duration.ofMillis(1), Duration.ofMinutes(10));
        OptionChecks.range("maxInFlight", maxInFlight, 1, 10_000_000);
        OptionChecks.range("maxInFlightBytes", maxInFlightBytes, maxFrameBytes, Long.MAX_VALUE / 2);
        OptionChecks.range("maxConnections", maxConnections, 1, 1_000_000);
        maxConnectionsPerAddress.ifPresent(most -> OptionChecks.range("maxConnectionsPerAddress", most, 1, 1_000_000));
        OptionChecks.range("idleTimeout", idleTimeout, Duration.ofSeconds(1), Duration.ofHours(2));
        OptionChecks.range("drainTimeout", drainTimeout, Duration.ZERO, Duration.ofMinutes(10));
    }

    /**
     * Returns the defaults at an address.
     *
     * @param host the name or address to bind, for example {@code 127.0.0.1} or {@code 0.0.0.0}
     * @param port the port to bind, 1 to 65535, or 0 for any free one
     * @return options
     * @throws IllegalArgumentException if the host is blank or the port out of range
     */
    public static GrpcTransportOptions at(String host, int port) {
        Draft draft = new Draft();
        draft.host = host;
        draft.port = port;
        return new GrpcTransportOptions(draft);
    }

    /**
     * Returns the defaults for a member that calls others and is never called: nothing listens.
     *
     * @return options
     */
    public static GrpcTransportOptions callingOnly() {
        Draft draft = new Draft();
        draft.listening = false;
        return new GrpcTransportOptions(draft);
    }

    /**
     * Returns a copy with this mode of sending calls. Nodes of both modes can call each other.
     *
     * @param mode the mode; by default {@link GrpcMode#STREAM}
     * @return new options
     */
    public GrpcTransportOptions withMode(GrpcMode mode) {
        Draft draft = new Draft(this);
        draft.mode = mode;
        return new GrpcTransportOptions(draft);
    }

    /**
     * Returns a copy with mutual TLS: the caller and the called node both prove their names.
     *
     * @param files certificate, key and authorities; read when the transport starts, and again when they change
     * @return new options
     * @throws IllegalArgumentException if the own certificate is not among them
     */
    public GrpcTransportOptions withTls(TlsFiles files) {
        if (files.certificate().isEmpty()) {
            throw new IllegalArgumentException(
                    "tls between nodes needs a certificate and its key, for each side proves its name");
        }
        Draft draft = new Draft(this);
        draft.tls = Optional.of(files);
        return new GrpcTransportOptions(draft);
    }

    /**
     * Returns a copy that may listen beyond this machine without TLS. A warning is logged.
     *
     * @return new options
     */
    public GrpcTransportOptions withPlaintextAllowed() {
        Draft draft = new Draft(this);
        draft.plaintextAllowed = true;
        return new GrpcTransportOptions(draft);
    }

    /**
     * Does the same as {@link #withPlaintextAllowed()}, for an application whose users set an option of its own.
     *
     * @param option the name of that option, for the warning
     * @return new options
     */
    public GrpcTransportOptions withPlaintextAllowed(String option) {
        Draft draft = new Draft(this);
        draft.plaintextAllowed = true;
        draft.plaintextOption = option;
        return new GrpcTransportOptions(draft);
    }

    /**
     * Returns a copy with the limits of this budget: the size of frames that hold a largest value, the bytes of frames
     * that are held, and the bytes that wait for a connection to a peer. It replaces what was set of these before; what
     * is set afterwards replaces it.
     *
     * @param memory the node's, by default that of the heap
     * @return new options
     */
    public GrpcTransportOptions withMemory(MemoryBudget memory) {
        Draft draft = new Draft(this);
        draft.maxFrameBytes = (int) Math.min(1L << 30, Math.max(17L << 20, memory.maxValueBytes() + (1L << 20)));
        draft.maxInFlightBytes = memory.frameBytes(draft.maxFrameBytes);
        draft.maxQueuedBytesPerPeer = memory.queueBytes(draft.maxFrameBytes);
        return new GrpcTransportOptions(draft);
    }

    /**
     * Returns a copy with this number of event loop threads, which serve peers and the calls to peers.
     *
     * @param threads 1 to 256; by default 2, or 1 on a machine of one core
     * @return new options
     */
    public GrpcTransportOptions withEventLoops(int threads) {
        Draft draft = new Draft(this);
        draft.eventLoops = threads;
        return new GrpcTransportOptions(draft);
    }

    /**
     * Returns a copy with this largest frame. It must be the same on all nodes, and larger than the largest value.
     *
     * @param bytes 1 KiB to 1 GiB, for requests and for replies; by default 17 MiB
     * @return new options
     */
    public GrpcTransportOptions withMaxFrameBytes(int bytes) {
        Draft draft = new Draft(this);
        draft.maxFrameBytes = bytes;
        return new GrpcTransportOptions(draft);
    }

    /**
     * Returns a copy with this number of connections to each peer, which take the event loops in turn. Each connection
     * carries any number of calls. More connections let more threads work for one peer, and put fewer frames into one
     * write.
     *
     * @param connections 1 to 256; by default 1
     * @return new options
     */
    public GrpcTransportOptions withConnectionsPerPeer(int connections) {
        Draft draft = new Draft(this);
        draft.connectionsPerPeer = connections;
        return new GrpcTransportOptions(draft);
    }

    /**
     * Returns a copy with this bound on unfinished calls to a peer, waiting or sent. Calls beyond it fail at once, as
     * not sent. A higher bound survives longer pauses and costs memory.
     *
     * @param calls 1 to 10,000,000; by default 16,384
     * @return new options
     */
    public GrpcTransportOptions withMaxQueuedPerPeer(int calls) {
        Draft draft = new Draft(this);
        draft.maxQueuedPerPeer = calls;
        return new GrpcTransportOptions(draft);
    }

    /**
     * Returns a copy with this bound on the bytes of unfinished calls to a peer, waiting or sent. Calls beyond it fail
     * at once, as not sent. A single frame of any size passes when no other is in flight. The bound keeps a peer that
     * hangs from holding the memory of its callers.
     *
     * @param bytes 1 or more; by default 256 MiB, or an eighth of the heap if that is less
     * @return new options
     */
    public GrpcTransportOptions withMaxQueuedBytesPerPeer(long bytes) {
        Draft draft = new Draft(this);
        draft.maxQueuedBytesPerPeer = bytes;
        return new GrpcTransportOptions(draft);
    }

    /**
     * Returns a copy with this time to connect to a peer. It matters only for machines that do not answer at all: a
     * closed port is detected at once. A peer that accepts the connection has five times as long for TLS and HTTP/2.
     *
     * @param timeout 1 ms to 10 minutes; by default 2 seconds
     * @return new options
     */
    public GrpcTransportOptions withConnectTimeout(Duration timeout) {
        Draft draft = new Draft(this);
        draft.connectTimeout = timeout;
        return new GrpcTransportOptions(draft);
    }

    /**
     * Returns a copy with this bound on the peers' requests in flight. Requests beyond it are refused, and fail at
     * their caller as not sent.
     *
     * @param requests 1 to 10,000,000; by default 16,384
     * @return new options
     */
    public GrpcTransportOptions withMaxInFlight(int requests) {
        Draft draft = new Draft(this);
        draft.maxInFlight = requests;
        return new GrpcTransportOptions(draft);
    }

    /**
     * Returns a copy with this bound on the bytes of the peers' requests in flight and of the replies that are being
     * written. Requests beyond it are refused, and fail at their caller as not sent.
     *
     * @param bytes at least the largest frame; by default 512 MiB, or a quarter of the heap if that is less (but no
     *     less than the largest frame)
     * @return new options
     */
    public GrpcTransportOptions withMaxInFlightBytes(long bytes) {
        Draft draft = new Draft(this);
        draft.maxInFlightBytes = bytes;
        return new GrpcTransportOptions(draft);
    }

    /**
     * Returns a copy with this bound on accepted connections. Connections beyond it are closed as soon as they are
     * accepted. The transport uses at most a quarter of the files that this process may open. It logs a warning if that
     * quarter is less than half of the bound.
     *
     * @param connections 1 to 1,000,000; by default 10,000
     * @return new options
     */
    public GrpcTransportOptions withMaxConnections(int connections) {
        Draft draft = new Draft(this);
        draft.maxConnections = connections;
        return new GrpcTransportOptions(draft);
    }

    /**
     * Returns a copy with this bound on accepted connections from one remote address, or from one IPv6 network of 64
     * bits. Connections beyond it are closed as soon as they are accepted.
     *
     * @param connections 1 to 1,000,000; by default half of all, or 100 if that is more
     * @return new options
     */
    public GrpcTransportOptions withMaxConnectionsPerAddress(int connections) {
        Draft draft = new Draft(this);
        draft.maxConnectionsPerAddress = OptionalInt.of(connections);
        return new GrpcTransportOptions(draft);
    }

    /**
     * Returns a copy with this idle timeout. After it, an accepted connection is closed if it has no request in flight
     * or takes no replies. Calling nodes close their connections after half of it.
     *
     * @param timeout 1 second to 2 hours; by default 60 seconds
     * @return new options
     */
    public GrpcTransportOptions withIdleTimeout(Duration timeout) {
        Draft draft = new Draft(this);
        draft.idleTimeout = timeout;
        return new GrpcTransportOptions(draft);
    }

    /**
     * Returns a copy with this time that closing gives to requests in flight.
     *
     * @param timeout 0 to 10 minutes; by default 3 seconds
     * @return new options
     */
    public GrpcTransportOptions withDrainTimeout(Duration timeout) {
        Draft draft = new Draft(this);
        draft.drainTimeout = timeout;
        return new GrpcTransportOptions(draft);
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
     * Returns how calls are sent.
     *
     * @return the mode
     */
    public GrpcMode mode() {
        return mode;
    }

    /**
     * Returns the size of the largest frame.
     *
     * @return bytes
     */
    public int maxFrameBytes() {
        return maxFrameBytes;
    }

    boolean listening() {
        return listening;
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

    int eventLoops() {
        return eventLoops;
    }

    int connectionsPerPeer() {
        return connectionsPerPeer;
    }

    int maxQueuedPerPeer() {
        return maxQueuedPerPeer;
    }

    long maxQueuedBytesPerPeer() {
        return maxQueuedBytesPerPeer;
    }

    Duration connectTimeout() {
        return connectTimeout;
    }

    int maxInFlight() {
        return maxInFlight;
    }

    long maxInFlightBytes() {
        return maxInFlightBytes;
    }

    int maxConnections() {
        return maxConnections;
    }

    OptionalInt maxConnectionsPerAddress() {
        return maxConnectionsPerAddress;
    }

    Duration idleTimeout() {
        return idleTimeout;
    }

    /**
     * Returns the time a peer has to complete TLS and HTTP/2. It exceeds the connect timeout because the peer may be
     * busy, while its operating system accepts the connection.
     */
    Duration greetingTimeout() {
        return connectTimeout.multipliedBy(5);
    }

    /**
     * Returns how long a connection to a peer may stay unused. It is less than the peer's idle timeout, so that this
     * side closes first.
     */
    Duration keepAlive() {
        return idleTimeout.dividedBy(2);
    }

    Duration drainTimeout() {
        return drainTimeout;
    }

    /** The same fields, mutable. */
    private static final class Draft {

        private String host = "127.0.0.1";
        private int port;
        private boolean listening = true;
        private GrpcMode mode = GrpcMode.STREAM;
        private Optional<TlsFiles> tls = Optional.empty();
        private boolean plaintextAllowed;
        private String plaintextOption = "withPlaintextAllowed()";
        private int eventLoops = Math.min(2, Runtime.getRuntime().availableProcessors());
        private int maxFrameBytes = 17 << 20;
        private int connectionsPerPeer = 1;
        private int maxQueuedPerPeer = 16_384;
        private long maxQueuedBytesPerPeer = MemoryBudget.ofHeap().queueBytes(maxFrameBytes);
        private Duration connectTimeout = Duration.ofSeconds(2);
        private int maxInFlight = 16_384;
        private long maxInFlightBytes = MemoryBudget.ofHeap().frameBytes(maxFrameBytes);
        private int maxConnections = 10_000;
        private OptionalInt maxConnectionsPerAddress = OptionalInt.empty();
        private Duration idleTimeout = Duration.ofSeconds(60);
        private Duration drainTimeout = Duration.ofSeconds(3);

        Draft() {}

        Draft(GrpcTransportOptions from) {
            host = from.host;
            port = from.port;
            listening = from.listening;
            mode = from.mode;
            tls = from.tls;
            plaintextAllowed = from.plaintextAllowed;
            plaintextOption = from.plaintextOption;
            eventLoops = from.eventLoops;
            maxFrameBytes = from.maxFrameBytes;
            connectionsPerPeer = from.connectionsPerPeer;
            maxQueuedPerPeer = from.maxQueuedPerPeer;
            maxQueuedBytesPerPeer = from.maxQueuedBytesPerPeer;
            connectTimeout = from.connectTimeout;
            maxInFlight = from.maxInFlight;
            maxInFlightBytes = from.maxInFlightBytes;
            maxConnections = from.maxConnections;
            maxConnectionsPerAddress = from.maxConnectionsPerAddress;
            idleTimeout = from.idleTimeout;
            drainTimeout = from.drainTimeout;
        }
    }
}
