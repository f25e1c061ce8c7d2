package io.dht4j.transport.http;

import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.TlsFiles;
import io.dht4j.transport.common.OptionChecks;
import io.dht4j.transport.http.internal.api.HttpApiBrowsers;
import io.dht4j.transport.http.internal.api.HttpApiLimits;
import io.dht4j.transport.http.internal.server.HttpConnectionLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The limits, the access rules and the timeouts of the public HTTP API. Immutable. Every {@code with} method returns a
 * copy, and throws an {@link IllegalArgumentException} that names option, value and allowed range.
 */
public final class HttpApiOptions {

    private static final int MAX_VALUE_BYTES = 1 << 30;
    private static final long MAX_BODY_BYTES = 1L << 40;
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofHours(1);

    private static final HttpApiOptions DEFAULTS = new HttpApiOptions(new Draft());

    private final int maxValueBytes;
    private final int maxInFlight;
    private final long maxBodyBytesInFlight;
    private final int maxBatchBytes;
    private final int maxBatchKeys;
    private final Duration bodyTimeout;
    private final Duration writeTimeout;
    private final Duration idleTimeout;
    private final Duration drainTimeout;
    private final Optional<Path> tokens;
    private final Optional<TlsFiles> tls;
    private final boolean plaintextAllowed;
    private final String plaintextOption;
    private final List<String> publicHosts;
    private final HttpConnectionLimits connections;

    private HttpApiOptions(Draft draft) {
        this.maxValueBytes = draft.maxValueBytes;
        this.maxInFlight = draft.maxInFlight;
        this.maxBodyBytesInFlight = draft.maxBodyBytesInFlight;
        this.maxBatchBytes = draft.maxBatchBytes;
        this.maxBatchKeys = draft.maxBatchKeys;
        this.bodyTimeout = draft.bodyTimeout;
        this.writeTimeout = draft.writeTimeout;
        this.idleTimeout = draft.idleTimeout;
        this.drainTimeout = draft.drainTimeout;
        this.tokens = draft.tokens;
        this.tls = draft.tls;
        this.plaintextAllowed = draft.plaintextAllowed;
        this.plaintextOption = draft.plaintextOption;
        this.publicHosts = draft.publicHosts;
        this.connections =
                new HttpConnectionLimits(draft.maxConnections, draft.maxConnectionsPerAddress, draft.headTimeout);
        OptionChecks.range("maxValueBytes", maxValueBytes, 0, MAX_VALUE_BYTES);
        OptionChecks.range("maxInFlight", maxInFlight, 1, 1_000_000);
        OptionChecks.range("maxBodyBytesInFlight", maxBodyBytesInFlight, Math.max(1, maxValueBytes), MAX_BODY_BYTES);
        OptionChecks.range("maxBatchBytes", maxBatchBytes, 1024, MAX_VALUE_BYTES);
        OptionChecks.range("maxBatchKeys", maxBatchKeys, 1, 1_000_000);
        OptionChecks.range("bodyTimeout", bodyTimeout, SHORTEST, LONGEST);
        OptionChecks.range("writeTimeout", writeTimeout, SHORTEST, LONGEST);
        OptionChecks.range("idleTimeout", idleTimeout, Duration.ofSeconds(1), Duration.ofHours(2));
        OptionChecks.range("drainTimeout", drainTimeout, Duration.ZERO, Duration.ofMinutes(10));
        tls.ifPresent(files -> OptionChecks.serverFiles(files, false));
    }

    /**
     * Returns the defaults: values up to 16 MiB; batches up to 10,000 keys and 32 MiB; 4096 requests and a share of the
     * heap in flight; 30 seconds for a client to send or receive; 60 seconds of silence; 5 seconds for draining;
     * neither tokens nor TLS.
     *
     * @return the defaults
     */
    public static HttpApiOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns a copy with this largest value that is read from a client. The cluster's own limit applies as well.
     *
     * @param bytes 0 to 1 GiB, and at most {@code maxBodyBytesInFlight}; by default 16 MiB
     * @return new options
     */
    public HttpApiOptions withMaxValueBytes(int bytes) {
        Draft draft = new Draft(this);
        draft.maxValueBytes = bytes;
        return new HttpApiOptions(draft);
    }

    /**
     * Returns a copy with this bound on requests in flight for entities, scans and batches. Further ones are answered
     * 503.
     *
     * @param requests 1 to 1,000,000; by default 4096
     * @return new options
     */
    public HttpApiOptions withMaxInFlight(int requests) {
        Draft draft = new Draft(this);
        draft.maxInFlight = requests;
        return new HttpApiOptions(draft);
    }

    /**
     * Returns a copy with the limits of this budget: the largest value, the bytes that are held for clients, and
     * batches that do not exceed them. It replaces what was set of these before; what is set afterwards replaces it.
     *
     * @param memory the node's, by default that of the heap
     * @return new options
     */
    public HttpApiOptions withMemory(MemoryBudget memory) {
        Draft draft = new Draft(this);
        draft.maxValueBytes = memory.maxValueBytes();
        draft.maxBodyBytesInFlight = memory.apiBytes();
        draft.maxBatchBytes = batchBytes(memory.apiBytes());
        return new HttpApiOptions(draft);
    }

    /**
     * Returns the largest batch. A batch that would not fit even alone is refused as too large, and not as an overload.
     */
    private static int batchBytes(long heldBytes) {
        return (int) Math.min(32 << 20, heldBytes);
    }

    /**
     * Returns a copy with this bound on the bytes of values that are held for clients that are sending or receiving
     * them. Requests that need more are answered 503.
     *
     * @param bytes {@code maxValueBytes} (but at least 1) to 1 TiB; by default an eighth of the heap, up to 256 MiB
     * @return new options
     */
    public HttpApiOptions withMaxBodyBytesInFlight(long bytes) {
        Draft draft = new Draft(this);
        draft.maxBodyBytesInFlight = bytes;
        return new HttpApiOptions(draft);
    }

    /**
     * Returns a copy with this largest body of a batch, as it is sent: values are a third longer there.
     *
     * @param bytes 1 KiB to 1 GiB; by default 32 MiB, and less on a small heap
     * @return new options
     */
    public HttpApiOptions withMaxBatchBytes(int bytes) {
        Draft draft = new Draft(this);
        draft.maxBatchBytes = bytes;
        return new HttpApiOptions(draft);
    }

    /**
     * Returns a copy with this bound on the lines of a batch. The cluster's own limit applies as well.
     *
     * @param keys 1 to 1,000,000; by default 10,000
     * @return new options
     */
    public HttpApiOptions withMaxBatchKeys(int keys) {
        Draft draft = new Draft(this);
        draft.maxBatchKeys = keys;
        return new HttpApiOptions(draft);
    }

    /**
     * Returns a copy with this time for a client to send a whole value or batch. After it the answer is 408.
     *
     * @param timeout 1 ms to 1 hour; by default 30 seconds
     * @return new options
     */
    public HttpApiOptions withBodyTimeout(Duration timeout) {
        Draft draft = new Draft(this);
        draft.bodyTimeout = timeout;
        return new HttpApiOptions(draft);
    }

    /**
     * Returns a copy with this time for a client to receive an answer, or to receive anything of a scan or batch. After
     * it the connection is closed.
     *
     * @param timeout 1 ms to 1 hour; by default 30 seconds
     * @return new options
     */
    public HttpApiOptions withWriteTimeout(Duration timeout) {
        Draft draft = new Draft(this);
        draft.writeTimeout = timeout;
        return new HttpApiOptions(draft);
    }

    /**
     * Returns a copy with this idle timeout. After it a silent connection to {@link HttpApi#listening}'s own port is
     * closed, whether or not a request is in flight.
     *
     * @param timeout 1 second to 2 hours; by default 60 seconds
     * @return new options
     */
    public HttpApiOptions withIdleTimeout(Duration timeout) {
        Draft draft = new Draft(this);
        draft.idleTimeout = timeout;
        return new HttpApiOptions(draft);
    }

    /**
     * Returns a copy with this time that {@link HttpApi#close()} gives to requests in flight.
     *
     * @param timeout 0 to 10 minutes; by default 5 seconds
     * @return new options
     */
    public HttpApiOptions withDrainTimeout(Duration timeout) {
        Draft draft = new Draft(this);
        draft.drainTimeout = timeout;
        return new HttpApiOptions(draft);
    }

    /**
     * Returns a copy with tokens: each request must carry one of sufficient scope, see
     * {@link io.dht4j.security.Tokens}.
     *
     * @param file where they are; read when the API starts, and again when it changes
     * @return new options
     */
    public HttpApiOptions withTokens(Path file) {
        Draft draft = new Draft(this);
        draft.tokens = Optional.of(file);
        return new HttpApiOptions(draft);
    }

    /**
     * Returns a copy with TLS for {@link HttpApi#listening}'s own port. A shared port has the transport's.
     *
     * @param files the certificate to show and its key; authorities are not used, because clients are not asked for
     *     certificates
     * @return new options
     */
    public HttpApiOptions withTls(TlsFiles files) {
        Draft draft = new Draft(this);
        draft.tls = Optional.of(files);
        return new HttpApiOptions(draft);
    }

    /**
     * Returns a copy in which {@link HttpApi#listening}'s own port may be plaintext beyond loopback.
     *
     * @return new options
     */
    public HttpApiOptions withPlaintextAllowed() {
        Draft draft = new Draft(this);
        draft.plaintextAllowed = true;
        return new HttpApiOptions(draft);
    }

    /**
     * Does the same as {@link #withPlaintextAllowed()}, for an application whose users set an option of its own.
     *
     * @param option the name of that option, for the warning
     * @return new options
     */
    public HttpApiOptions withPlaintextAllowed(String option) {
        Draft draft = new Draft(this);
        draft.plaintextAllowed = true;
        draft.plaintextOption = option;
        return new HttpApiOptions(draft);
    }

    /**
     * Returns a copy with one more name or address by which clients reach the node. Without tokens, requests with
     * another {@code Host} are refused: they may be a foreign page's in somebody's browser. {@code localhost},
     * addresses, and the host at which the API listens are always accepted.
     *
     * @param host a name, or an address, without a port; capitals do not matter
     * @return new options
     */
    public HttpApiOptions withPublicHost(String host) {
        Draft draft = new Draft(this);
        draft.publicHosts = Stream.concat(publicHosts.stream(), Stream.of(HttpApiBrowsers.requireHost(host)))
                .toList();
        return new HttpApiOptions(draft);
    }

    List<String> publicHosts() {
        return publicHosts;
    }

    /**
     * Returns a copy with this bound on the connections to {@link HttpApi#listening}'s own port. A limit of open files
     * that is too low for them lowers it, with a warning. Connections over which no request has come give way to
     * others.
     *
     * @param most 1 to 1,000,000; by default 10,000
     * @return new options
     */
    public HttpApiOptions withMaxConnections(int most) {
        Draft draft = new Draft(this);
        draft.maxConnections = most;
        return new HttpApiOptions(draft);
    }

    /**
     * Returns a copy with this bound on the connections to {@link HttpApi#listening}'s own port from one remote
     * address. IPv6 addresses count as one if they share their first 64 bits.
     *
     * @param most 1 to 1,000,000; by default half of {@code maxConnections}
     * @return new options
     */
    public HttpApiOptions withMaxConnectionsPerAddress(int most) {
        Draft draft = new Draft(this);
        draft.maxConnectionsPerAddress = Optional.of(most);
        return new HttpApiOptions(draft);
    }

    /**
     * Returns a copy with this time for the head of a request to arrive at {@link HttpApi#listening}'s own port. It
     * begins for a connection's first request when the connection is accepted, for others with their first byte. After
     * it the connection is closed.
     *
     * @param timeout 1 ms to 1 hour; by default 10 seconds
     * @return new options
     */
    public HttpApiOptions withHeadTimeout(Duration timeout) {
        Draft draft = new Draft(this);
        draft.headTimeout = timeout;
        return new HttpApiOptions(draft);
    }

    HttpConnectionLimits connections() {
        return connections;
    }

    /** Returns the limits of one request. */
    HttpApiLimits limits() {
        return new HttpApiLimits(maxValueBytes, maxBatchBytes, maxBatchKeys, bodyTimeout, writeTimeout);
    }

    int maxInFlight() {
        return maxInFlight;
    }

    long maxBodyBytesInFlight() {
        return maxBodyBytesInFlight;
    }

    Duration idleTimeout() {
        return idleTimeout;
    }

    Duration drainTimeout() {
        return drainTimeout;
    }

    Optional<Path> tokens() {
        return tokens;
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

    /** The same fields, mutable. */
    private static final class Draft {

        private int maxValueBytes = 16 << 20;
        private int maxInFlight = 4096;
        private long maxBodyBytesInFlight = MemoryBudget.ofHeap().apiBytes();
        private int maxBatchBytes = batchBytes(maxBodyBytesInFlight);
        private int maxBatchKeys = 10_000;
        private Duration bodyTimeout = Duration.ofSeconds(30);
        private Duration writeTimeout = Duration.ofSeconds(30);
        private Duration idleTimeout = Duration.ofSeconds(60);
        private Duration drainTimeout = Duration.ofSeconds(5);
        private Optional<Path> tokens = Optional.empty();
        private Optional<TlsFiles> tls = Optional.empty();
        private boolean plaintextAllowed;
        private String plaintextOption = "withPlaintextAllowed()";
        private List<String> publicHosts = List.of();
        private int maxConnections = HttpConnectionLimits.DEFAULT_MAX;
        private Optional<Integer> maxConnectionsPerAddress = Optional.empty();
        private Duration headTimeout = HttpConnectionLimits.DEFAULT_HEAD_TIMEOUT;

        Draft() {}

        Draft(HttpApiOptions from) {
            maxValueBytes = from.maxValueBytes;
            maxInFlight = from.maxInFlight;
            maxBodyBytesInFlight = from.maxBodyBytesInFlight;
            maxBatchBytes = from.maxBatchBytes;
            maxBatchKeys = from.maxBatchKeys;
            bodyTimeout = from.bodyTimeout;
            writeTimeout = from.writeTimeout;
            idleTimeout = from.idleTimeout;
            drainTimeout = from.drainTimeout;
            tokens = from.tokens;
            tls = from.tls;
            plaintextAllowed = from.plaintextAllowed;
            plaintextOption = from.plaintextOption;
            publicHosts = from.publicHosts;
            maxConnections = from.connections.max();
            maxConnectionsPerAddress = from.connections.perAddress();
            headTimeout = from.connections.headTimeout();
        }
    }
}
