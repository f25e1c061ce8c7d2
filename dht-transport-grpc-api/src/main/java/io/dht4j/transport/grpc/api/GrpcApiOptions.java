package io.dht4j.transport.grpc.api;

import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.TlsFiles;
import io.dht4j.transport.common.OptionChecks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The limits, the access rules and the timeouts of the public gRPC API. Immutable. Every {@code with} method returns a
 * copy, and throws an {@link IllegalArgumentException} that names option, value and allowed range.
 */
public final class GrpcApiOptions {

    /** The bytes of a message besides values: a key, and the names and lengths of the fields. */
    private static final int MESSAGE_OVERHEAD = 64 << 10;
    /** The bytes of each item of a batch besides key and value. */
    private static final int ITEM_OVERHEAD = 32;

    private static final int MAX_VALUE_BYTES = 1 << 30;
    private static final long MAX_BODY_BYTES = 1L << 40;
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofHours(1);

    private static final GrpcApiOptions DEFAULTS = new GrpcApiOptions(new Draft());

    private final int maxValueBytes;
    private final int maxInFlight;
    private final long maxBodyBytesInFlight;
    private final int maxBatchBytes;
    private final int maxBatchKeys;
    private final int maxConnections;
    private final OptionalInt maxConnectionsPerAddress;
    private final int eventLoops;
    private final Duration bodyTimeout;
    private final Duration writeTimeout;
    private final Duration idleTimeout;
    private final Duration drainTimeout;
    private final Optional<Path> tokens;
    private final Optional<TlsFiles> tls;
    private final boolean plaintextAllowed;
    private final String plaintextOption;

    private GrpcApiOptions(Draft draft) {
        this.maxValueBytes = draft.maxValueBytes;
        this.maxInFlight = draft.maxInFlight;
        this.maxBodyBytesInFlight = draft.maxBodyBytesInFlight;
        this.maxBatchBytes = draft.maxBatchBytes;
        this.maxBatchKeys = draft.maxBatchKeys;
        this.maxConnections = draft.maxConnections;
        this.maxConnectionsPerAddress = draft.maxConnectionsPerAddress;
        this.eventLoops = draft.eventLoops;
        this.bodyTimeout = draft.bodyTimeout;
        this.writeTimeout = draft.writeTimeout;
        this.idleTimeout = draft.idleTimeout;
        this.drainTimeout = draft.drainTimeout;
        this.tokens = draft.tokens;
        this.tls = draft.tls;
        this.plaintextAllowed = draft.plaintextAllowed;
        this.plaintextOption = draft.plaintextOption;
        OptionChecks.range("maxValueBytes", maxValueBytes, 0, MAX_VALUE_BYTES);
        OptionChecks.range("maxInFlight", maxInFlight, 1, 1_000_000);
        OptionChecks.range("maxBodyBytesInFlight", maxBodyBytesInFlight, Math.max(1, maxValueBytes), MAX_BODY_BYTES);
        OptionChecks.range("maxBatchBytes", maxBatchBytes, 1024, MAX_VALUE_BYTES);
        OptionChecks.range("maxBatchKeys", maxBatchKeys, 1, 1_000_000);
        OptionChecks.range("maxConnections", maxConnections, 1, 1_000_000);
        maxConnectionsPerAddress.ifPresent(most -> OptionChecks.range("maxConnectionsPerAddress", most, 1, 1_000_000));
        OptionChecks.range("eventLoops", eventLoops, 1, 1024);
        OptionChecks.range("bodyTimeout", bodyTimeout, SHORTEST, LONGEST);
        OptionChecks.range("writeTimeout", writeTimeout, SHORTEST, LONGEST);
        OptionChecks.range("idleTimeout", idleTimeout, Duration.ofSeconds(1), Duration.ofHours(2));
        OptionChecks.range("drainTimeout", drainTimeout, Duration.ZERO, Duration.ofMinutes(10));
        if (tls.isPresent() && tls.get().certificate().isEmpty()) {
            throw new IllegalArgumentException("tls: who listens needs a certificate and its key");
        }
    }

    /**
     * Returns the defaults: values up to 16 MiB; batches up to 10,000 keys and 32 MiB; 4096 calls and a share of the
     * heap in flight; 10,000 connections; 30 seconds for a client to send or receive; 60 seconds of silence; 5 seconds
     * for draining; neither tokens nor TLS.
     *
     * @return the defaults
     */
    public static GrpcApiOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns a copy with this largest value that is taken from a client. The cluster's own limit applies as well.
     *
     * @param bytes 0 to 1 GiB, and at most {@code maxBodyBytesInFlight}; by default 16 MiB
     * @return new options
     */
    public GrpcApiOptions withMaxValueBytes(int bytes) {
        Draft draft = new Draft(this);
        draft.maxValueBytes = bytes;
        return new GrpcApiOptions(draft);
    }

    /**
     * Returns a copy with this bound on calls in flight, including those that wait for their client. {@code Locate},
     * {@code Status} and repairs have a bound of their own: as many again, but at least 100. Further calls are refused
     * as overloaded.
     *
     * @param calls 1 to 1,000,000; by default 4096
     * @return new options
     */
    public GrpcApiOptions withMaxInFlight(int calls) {
        Draft draft = new Draft(this);
        draft.maxInFlight = calls;
        return new GrpcApiOptions(draft);
    }

    /**
     * Returns a copy with the limits of this budget: the largest value, the bytes that are held for clients, and
     * batches that do not exceed them. It replaces what was set of these before; what is set afterwards replaces it.
     *
     * @param memory the node's, by default that of the heap
     * @return new options
     */
    public GrpcApiOptions withMemory(MemoryBudget memory) {
        Draft draft = new Draft(this);
        draft.maxValueBytes = memory.maxValueBytes();
        draft.maxBodyBytesInFlight = memory.apiBytes();
        draft.maxBatchBytes = batchBytes(memory.apiBytes());
        return new GrpcApiOptions(draft);
    }

    /**
     * Returns the largest batch. A batch that would not fit even alone is refused as too large, and not as an overload.
     */
    private static int batchBytes(long heldBytes) {
        return (int) Math.min(32 << 20, heldBytes);
    }

    /**
     * Returns a copy with this bound on the bytes that are held for clients that are sending requests or receiving
     * values. The bytes count as they arrive. Calls that need more are refused as overloaded.
     *
     * @param bytes {@code maxValueBytes} (but at least 1) to 1 TiB; by default an eighth of the heap, up to 256 MiB
     * @return new options
     */
    public GrpcApiOptions withMaxBodyBytesInFlight(long bytes) {
        Draft draft = new Draft(this);
        draft.maxBodyBytesInFlight = bytes;
        return new GrpcApiOptions(draft);
    }

    /**
     * Returns a copy with this bound on the keys and values of a batch, both of written ones and of those in an answer.
     * It also bounds the messages that are taken from a client: the larger of this and {@code maxValueBytes}, plus 64
     * KiB, plus 32 bytes for each key that a batch may have.
     *
     * @param bytes 1 KiB to 1 GiB; by default 32 MiB, and less on a small heap
     * @return new options
     */
    public GrpcApiOptions withMaxBatchBytes(int bytes) {
        Draft draft = new Draft(this);
        draft.maxBatchBytes = bytes;
        return new GrpcApiOptions(draft);
    }

    /**
     * Returns a copy with this bound on the keys of a batch. The cluster's own limit applies as well.
     *
     * @param keys 1 to 1,000,000; by default 10,000
     * @return new options
     */
    public GrpcApiOptions withMaxBatchKeys(int keys) {
        Draft draft = new Draft(this);
        draft.maxBatchKeys = keys;
        return new GrpcApiOptions(draft);
    }

    /**
     * Returns a copy with this bound on connections. For a further one, a connection without a call in flight is
     * closed; if there is none, the new one is closed when it is accepted. The API uses at most a quarter of the files
     * that this process may open. It logs a warning if that quarter is less than half of the bound.
     *
     * @param connections 1 to 1,000,000; by default 10,000
     * @return new options
     */
    public GrpcApiOptions withMaxConnections(int connections) {
        Draft draft = new Draft(this);
        draft.maxConnections = connections;
        return new GrpcApiOptions(draft);
    }

    /**
     * Returns a copy with this bound on connections from one remote address, or from one IPv6 network of 64 bits.
     * Further ones are closed when they are accepted. Raise it where all clients come through one proxy.
     *
     * @param connections 1 to 1,000,000; by default half of all, or 100 if that is more
     * @return new options
     */
    public GrpcApiOptions withMaxConnectionsPerAddress(int connections) {
        Draft draft = new Draft(this);
        draft.maxConnectionsPerAddress = OptionalInt.of(connections);
        return new GrpcApiOptions(draft);
    }

    /**
     * Returns a copy with this number of threads that read and write.
     *
     * @param threads 1 to 1024; by default the number of processors, at most 8
     * @return new options
     */
    public GrpcApiOptions withEventLoops(int threads) {
        Draft draft = new Draft(this);
        draft.eventLoops = threads;
        return new GrpcApiOptions(draft);
    }

    /**
     * Returns a copy with this time for a client to send a whole request. After it the call is refused.
     *
     * @param timeout 1 ms to 1 hour; by default 30 seconds
     * @return new options
     */
    public GrpcApiOptions withBodyTimeout(Duration timeout) {
        Draft draft = new Draft(this);
        draft.bodyTimeout = timeout;
        return new GrpcApiOptions(draft);
    }

    /**
     * Returns a copy with this time for a client to receive an answer, or to receive anything of a scan. After it the
     * call is ended; others on the same connection continue.
     *
     * @param timeout 1 ms to 1 hour; by default 30 seconds
     * @return new options
     */
    public GrpcApiOptions withWriteTimeout(Duration timeout) {
        Draft draft = new Draft(this);
        draft.writeTimeout = timeout;
        return new GrpcApiOptions(draft);
    }

    /**
     * Returns a copy with this idle timeout. After it a connection without calls is closed, and a silent one with calls
     * must answer a ping.
     *
     * @param timeout 1 second to 2 hours; by default 60 seconds
     * @return new options
     */
    public GrpcApiOptions withIdleTimeout(Duration timeout) {
        Draft draft = new Draft(this);
        draft.idleTimeout = timeout;
        return new GrpcApiOptions(draft);
    }

    /**
     * Returns a copy with this time that {@link GrpcApi#close()} gives to calls in flight.
     *
     * @param timeout 0 to 10 minutes; by default 5 seconds
     * @return new options
     */
    public GrpcApiOptions withDrainTimeout(Duration timeout) {
        Draft draft = new Draft(this);
        draft.drainTimeout = timeout;
        return new GrpcApiOptions(draft);
    }

    /**
     * Returns a copy with tokens: each call must carry one of sufficient scope, see {@link io.dht4j.security.Tokens}.
     * Health and reflection need none.
     *
     * @param file where they are; read when the API starts, and again when it changes
     * @return new options
     */
    public GrpcApiOptions withTokens(Path file) {
        Draft draft = new Draft(this);
        draft.tokens = Optional.of(file);
        return new GrpcApiOptions(draft);
    }

    /**
     * Returns a copy with TLS.
     *
     * @param files the certificate to show and its key; authorities are not used, because clients are not asked for
     *     certificates
     * @return new options
     */
    public GrpcApiOptions withTls(TlsFiles files) {
        Draft draft = new Draft(this);
        draft.tls = Optional.of(files);
        return new GrpcApiOptions(draft);
    }

    /**
     * Returns a copy that may serve plaintext beyond loopback.
     *
     * @return new options
     */
    public GrpcApiOptions withPlaintextAllowed() {
        Draft draft = new Draft(this);
        draft.plaintextAllowed = true;
        return new GrpcApiOptions(draft);
    }

    /**
     * Does the same as {@link #withPlaintextAllowed()}, for an application whose users set an option of its own.
     *
     * @param option the name of that option, for the warning
     * @return new options
     */
    public GrpcApiOptions withPlaintextAllowed(String option) {
        Draft draft = new Draft(this);
        draft.plaintextAllowed = true;
        draft.plaintextOption = option;
        return new GrpcApiOptions(draft);
    }

    int maxValueBytes() {
        return maxValueBytes;
    }

    int maxInFlight() {
        return maxInFlight;
    }

    long maxBodyBytesInFlight() {
        return maxBodyBytesInFlight;
    }

    int maxBatchBytes() {
        return maxBatchBytes;
    }

    int maxBatchKeys() {
        return maxBatchKeys;
    }

    /** Returns the size of the largest message that is taken from a client. */
    int maxMessageBytes() {
        return Math.max(maxValueBytes, maxBatchBytes) + MESSAGE_OVERHEAD + ITEM_OVERHEAD * maxBatchKeys;
    }

    int maxConnections() {
        return maxConnections;
    }

    OptionalInt maxConnectionsPerAddress() {
        return maxConnectionsPerAddress;
    }

    int eventLoops() {
        return eventLoops;
    }

    Duration bodyTimeout() {
        return bodyTimeout;
    }

    Duration writeTimeout() {
        return writeTimeout;
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
        private int maxConnections = 10_000;
        private OptionalInt maxConnectionsPerAddress = OptionalInt.empty();
        private int eventLoops = Math.min(8, Runtime.getRuntime().availableProcessors());
        private Duration bodyTimeout = Duration.ofSeconds(30);
        private Duration writeTimeout = Duration.ofSeconds(30);
        private Duration idleTimeout = Duration.ofSeconds(60);
        private Duration drainTimeout = Duration.ofSeconds(5);
        private Optional<Path> tokens = Optional.empty();
        private Optional<TlsFiles> tls = Optional.empty();
        private boolean plaintextAllowed;
        private String plaintextOption = "withPlaintextAllowed()";

        Draft() {}

        Draft(GrpcApiOptions from) {
            maxValueBytes = from.maxValueBytes;
            maxInFlight = from.maxInFlight;
            maxBodyBytesInFlight = from.maxBodyBytesInFlight;
            maxBatchBytes = from.maxBatchBytes;
            maxBatchKeys = from.maxBatchKeys;
            maxConnections = from.maxConnections;
            maxConnectionsPerAddress = from.maxConnectionsPerAddress;
            eventLoops = from.eventLoops;
            bodyTimeout = from.bodyTimeout;
            writeTimeout = from.writeTimeout;
            idleTimeout = from.idleTimeout;
            drainTimeout = from.drainTimeout;
            tokens = from.tokens;
            tls = from.tls;
            plaintextAllowed = from.plaintextAllowed;
            plaintextOption = from.plaintextOption;
        }
    }
}
