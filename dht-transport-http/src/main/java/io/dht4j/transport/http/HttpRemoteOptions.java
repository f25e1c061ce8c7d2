package io.dht4j.transport.http;

import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.TlsFiles;
import io.dht4j.transport.common.OptionChecks;
import io.dht4j.transport.http.internal.remote.HttpRemoteConnections;
import io.dht4j.transport.http.internal.remote.HttpRemoteLimits;
import java.time.Duration;
import java.util.Optional;

/**
 * The options of an {@link HttpRemote}. Immutable. Every {@code with} method returns a copy, and throws an
 * {@link IllegalArgumentException} that names option, value and allowed range. The token appears in no message.
 */
public final class HttpRemoteOptions {

    private static final int MIN_TOKEN = 16;
    private static final int MAX_TOKEN = 512;
    private static final int MAX_BYTES = 1 << 30;

    private static final HttpRemoteOptions DEFAULTS = new HttpRemoteOptions(new Draft());

    private final Optional<TlsFiles> tls;
    private final Optional<String> token;
    private final boolean plaintextAllowed;
    private final Duration connectTimeout;
    private final Duration idleTimeout;
    private final int connectionsPerNode;
    private final int maxInFlight;
    private final long maxInFlightBytes;
    private final int maxValueBytes;
    private final int maxPageBytes;
    private final int maxBatchBytes;

    private HttpRemoteOptions(Draft draft) {
        this.tls = draft.tls;
        this.token = draft.token;
        this.plaintextAllowed = draft.plaintextAllowed;
        this.connectTimeout = draft.connectTimeout;
        this.idleTimeout = draft.idleTimeout;
        this.connectionsPerNode = draft.connectionsPerNode;
        this.maxInFlight = draft.maxInFlight;
        this.maxInFlightBytes = draft.maxInFlightBytes;
        this.maxValueBytes = draft.maxValueBytes;
        this.maxPageBytes = draft.maxPageBytes;
        this.maxBatchBytes = draft.maxBatchBytes;
        if (token.isPresent() && !isToken(token.get())) {
            throw new IllegalArgumentException("token must be " + MIN_TOKEN + " to " + MAX_TOKEN
                    + " characters of printable ASCII without spaces");
        }
        OptionChecks.range("connectTimeout", connectTimeout, Duration.ofMillis(1), Duration.ofMinutes(10));
        OptionChecks.range("idleTimeout", idleTimeout, Duration.ofSeconds(1), Duration.ofHours(2));
        OptionChecks.range("connectionsPerNode", connectionsPerNode, 1, 10_000);
        OptionChecks.range("maxInFlight", maxInFlight, 1, 1_000_000);
        OptionChecks.range("maxInFlightBytes", maxInFlightBytes, 1024, Long.MAX_VALUE / 2);
        OptionChecks.range("maxValueBytes", maxValueBytes, 0, MAX_BYTES);
        OptionChecks.range("maxPageBytes", maxPageBytes, 1024, MAX_BYTES);
        OptionChecks.range("maxBatchBytes", maxBatchBytes, 1024, MAX_BYTES);
    }

    private static boolean isToken(String text) {
        return text.length() >= MIN_TOKEN
                && text.length() <= MAX_TOKEN
                && text.chars().allMatch(c -> c > ' ' && c < 0x7F);
    }

    /**
     * Returns the defaults: plaintext to loopback, no token, 64 connections to each node, 4096 calls in flight, values
     * up to 16 MiB.
     *
     * @return the defaults
     */
    public static HttpRemoteOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns a copy with TLS. A node must show a certificate for the host in its address.
     *
     * @param files the trusted authorities, and the client's own certificate if the nodes ask for one
     * @return new options
     */
    public HttpRemoteOptions withTls(TlsFiles files) {
        Draft draft = new Draft(this);
        draft.tls = Optional.of(files);
        return new HttpRemoteOptions(draft);
    }

    /**
     * Returns a copy with a token, which is sent with every request.
     *
     * @param secret 16 to 512 characters of printable ASCII without spaces
     * @return new options
     */
    public HttpRemoteOptions withToken(String secret) {
        Draft draft = new Draft(this);
        draft.token = Optional.of(secret);
        return new HttpRemoteOptions(draft);
    }

    /**
     * Returns a copy that may send the token in plaintext beyond loopback.
     *
     * @return new options
     */
    public HttpRemoteOptions withPlaintextAllowed() {
        Draft draft = new Draft(this);
        draft.plaintextAllowed = true;
        return new HttpRemoteOptions(draft);
    }

    /**
     * Returns a copy with this time to connect; a call's own timeout applies as well.
     *
     * @param timeout 1 ms to 10 minutes; by default 2 seconds
     * @return new options
     */
    public HttpRemoteOptions withConnectTimeout(Duration timeout) {
        Draft draft = new Draft(this);
        draft.connectTimeout = timeout;
        return new HttpRemoteOptions(draft);
    }

    /**
     * Returns a copy with this time after which an unused connection is closed. It should be less than the nodes' own.
     *
     * @param timeout 1 second to 2 hours; by default 30 seconds
     * @return new options
     */
    public HttpRemoteOptions withIdleTimeout(Duration timeout) {
        Draft draft = new Draft(this);
        draft.idleTimeout = timeout;
        return new HttpRemoteOptions(draft);
    }

    /**
     * Returns a copy with this bound on connections to a node. Each carries one call at a time; further calls wait.
     *
     * @param connections 1 to 10,000; by default 64
     * @return new options
     */
    public HttpRemoteOptions withConnectionsPerNode(int connections) {
        Draft draft = new Draft(this);
        draft.connectionsPerNode = connections;
        return new HttpRemoteOptions(draft);
    }

    /**
     * Returns a copy with this bound on calls that are in flight or wait. Further ones fail at once, as overloaded.
     *
     * @param calls 1 to 1,000,000; by default 4096
     * @return new options
     */
    public HttpRemoteOptions withMaxInFlight(int calls) {
        Draft draft = new Draft(this);
        draft.maxInFlight = calls;
        return new HttpRemoteOptions(draft);
    }

    /**
     * Returns a copy with this bound on the bytes of requests in flight. Further ones fail at once, as overloaded.
     *
     * @param bytes 1 KiB or more; by default {@link MemoryBudget#apiBytes()}: an eighth of the heap, up to 256 MiB
     * @return new options
     */
    public HttpRemoteOptions withMaxInFlightBytes(long bytes) {
        Draft draft = new Draft(this);
        draft.maxInFlightBytes = bytes;
        return new HttpRemoteOptions(draft);
    }

    /**
     * Returns a copy with this largest value that is read from a node.
     *
     * @param bytes 0 to 1 GiB; by default 16 MiB
     * @return new options
     */
    public HttpRemoteOptions withMaxValueBytes(int bytes) {
        Draft draft = new Draft(this);
        draft.maxValueBytes = bytes;
        return new HttpRemoteOptions(draft);
    }

    /**
     * Returns a copy with this size of a scan's page in bytes of keys and values. A page ends with the entry that
     * reaches the size.
     *
     * @param bytes 1 KiB to 1 GiB; by default a quarter of the bytes of requests in flight, up to 4 MiB
     * @return new options
     */
    public HttpRemoteOptions withMaxPageBytes(int bytes) {
        Draft draft = new Draft(this);
        draft.maxPageBytes = bytes;
        return new HttpRemoteOptions(draft);
    }

    /**
     * Returns a copy with this bound on all keys and values in the answer to a batch.
     *
     * @param bytes 1 KiB to 1 GiB; by default the bytes of requests in flight, up to 64 MiB
     * @return new options
     */
    public HttpRemoteOptions withMaxBatchBytes(int bytes) {
        Draft draft = new Draft(this);
        draft.maxBatchBytes = bytes;
        return new HttpRemoteOptions(draft);
    }

    /**
     * Returns a copy with the limits of this budget: the largest value, the bytes of requests in flight, and pages and
     * batches that do not exceed them. It replaces what was set of these before; what is set afterwards replaces it.
     *
     * @param memory what this client may take, by default all that {@link MemoryBudget#ofHeap()} gives to an API
     * @return new options
     */
    public HttpRemoteOptions withMemory(MemoryBudget memory) {
        Draft draft = new Draft(this);
        draft.take(memory);
        return new HttpRemoteOptions(draft);
    }

    HttpRemoteConnections connections() {
        return new HttpRemoteConnections(tls, token, plaintextAllowed, connectTimeout, idleTimeout, connectionsPerNode);
    }

    HttpRemoteLimits limits() {
        return new HttpRemoteLimits(maxInFlight, maxInFlightBytes, maxValueBytes, maxPageBytes, maxBatchBytes);
    }

    /** The same fields, mutable. */
    private static final class Draft {

        private Optional<TlsFiles> tls = Optional.empty();
        private Optional<String> token = Optional.empty();
        private boolean plaintextAllowed;
        private Duration connectTimeout = Duration.ofSeconds(2);
        private Duration idleTimeout = Duration.ofSeconds(30);
        private int connectionsPerNode = 64;
        private int maxInFlight = 4096;
        private long maxInFlightBytes;
        private int maxValueBytes;
        private int maxPageBytes;
        private int maxBatchBytes;

        Draft() {
            take(MemoryBudget.ofHeap());
        }

        private void take(MemoryBudget memory) {
            maxValueBytes = memory.maxValueBytes();
            maxInFlightBytes = memory.apiBytes();
            maxPageBytes = (int) Math.min(4 << 20, memory.apiBytes() / 4);
            maxBatchBytes = (int) Math.min(64 << 20, memory.apiBytes());
        }

        Draft(HttpRemoteOptions from) {
            tls = from.tls;
            token = from.token;
            plaintextAllowed = from.plaintextAllowed;
            connectTimeout = from.connectTimeout;
            idleTimeout = from.idleTimeout;
            connectionsPerNode = from.connectionsPerNode;
            maxInFlight = from.maxInFlight;
            maxInFlightBytes = from.maxInFlightBytes;
            maxValueBytes = from.maxValueBytes;
            maxPageBytes = from.maxPageBytes;
            maxBatchBytes = from.maxBatchBytes;
        }
    }
}
