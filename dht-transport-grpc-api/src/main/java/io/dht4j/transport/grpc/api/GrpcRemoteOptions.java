package io.dht4j.transport.grpc.api;

import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.TlsFiles;
import io.dht4j.transport.common.OptionChecks;
import java.time.Duration;
import java.util.Optional;

/**
 * The options of a client of the public gRPC API. Immutable. Every {@code with} method returns a copy, and throws an
 * {@link IllegalArgumentException} that names option, value and allowed range.
 */
public final class GrpcRemoteOptions {

    private static final int MAX_VALUE_BYTES = 1 << 30;
    private static final int MAX_TOKEN_LENGTH = 512;
    /** The bytes of a message besides its values: keys, versions, the names and lengths of the fields. */
    private static final int MESSAGE_OVERHEAD = 8 << 20;

    private static final GrpcRemoteOptions DEFAULTS = new GrpcRemoteOptions(new Draft());

    private final int maxValueBytes;
    private final int maxBatchBytes;
    private final int maxPageBytes;
    private final int maxInFlight;
    private final long maxInFlightBytes;
    private final int eventLoops;
    private final Duration connectTimeout;
    private final Optional<String> token;
    private final Optional<TlsFiles> tls;
    private final boolean plaintextAllowed;

    private GrpcRemoteOptions(Draft draft) {
        this.maxValueBytes = draft.maxValueBytes;
        this.maxBatchBytes = draft.maxBatchBytes;
        this.maxPageBytes = draft.maxPageBytes;
        this.maxInFlight = draft.maxInFlight;
        this.maxInFlightBytes = draft.maxInFlightBytes;
        this.eventLoops = draft.eventLoops;
        this.connectTimeout = draft.connectTimeout;
        this.token = draft.token;
        this.tls = draft.tls;
        this.plaintextAllowed = draft.plaintextAllowed;
        OptionChecks.range("maxValueBytes", maxValueBytes, 0, MAX_VALUE_BYTES);
        OptionChecks.range("maxBatchBytes", maxBatchBytes, 1024, MAX_VALUE_BYTES);
        OptionChecks.range("maxPageBytes", maxPageBytes, 1, MAX_VALUE_BYTES);
        OptionChecks.range("maxInFlight", maxInFlight, 1, 1_000_000);
        OptionChecks.range("maxInFlightBytes", maxInFlightBytes, Math.max(1, maxValueBytes), 1L << 40);
        OptionChecks.range("eventLoops", eventLoops, 1, 1024);
        OptionChecks.range("connectTimeout", connectTimeout, Duration.ofMillis(1), Duration.ofHours(1));
        if (token.isPresent() && !isToken(token.get())) {
            throw new IllegalArgumentException(
                    "token must be 1 to " + MAX_TOKEN_LENGTH + " characters of printable ASCII without spaces");
        }
    }

    private static boolean isToken(String text) {
        return !text.isEmpty()
                && text.length() <= MAX_TOKEN_LENGTH
                && text.chars().allMatch(c -> c > ' ' && c < 0x7F);
    }

    /**
     * Returns the defaults. They are the shares of {@link MemoryBudget#ofHeap()}: up to values of 16 MiB, batches of 32
     * MiB, 1 MiB of a scan at a time and 256 MiB of requests in flight. Further: 10,000 calls in flight, 5 seconds to
     * connect, neither token nor TLS.
     *
     * @return the defaults
     */
    public static GrpcRemoteOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns a copy with this largest value that is sent or taken. The node's own limits apply as well.
     *
     * @param bytes 0 to 1 GiB, and at most {@code maxInFlightBytes}; by default 16 MiB
     * @return new options
     */
    public GrpcRemoteOptions withMaxValueBytes(int bytes) {
        Draft draft = new Draft(this);
        draft.maxValueBytes = bytes;
        return new GrpcRemoteOptions(draft);
    }

    /**
     * Returns a copy with this bound on the keys and values of a batch, sent or taken. The node's own limits apply as
     * well.
     *
     * @param bytes 1 KiB to 1 GiB; by default the bytes of requests in flight, up to 32 MiB
     * @return new options
     */
    public GrpcRemoteOptions withMaxBatchBytes(int bytes) {
        Draft draft = new Draft(this);
        draft.maxBatchBytes = bytes;
        return new GrpcRemoteOptions(draft);
    }

    /**
     * Returns a copy with this number of bytes of keys and values after which one call of a scan ends. The entry that
     * reaches the number is still part of the call.
     *
     * @param bytes 1 to 1 GiB; by default a quarter of the bytes of requests in flight, up to 1 MiB
     * @return new options
     */
    public GrpcRemoteOptions withMaxPageBytes(int bytes) {
        Draft draft = new Draft(this);
        draft.maxPageBytes = bytes;
        return new GrpcRemoteOptions(draft);
    }

    /**
     * Returns a copy with the limits of this budget: the largest value, the bytes of requests in flight, and pages and
     * batches that do not exceed them. It replaces what was set of these before; what is set afterwards replaces it.
     *
     * @param memory what this client may take, by default all that {@link MemoryBudget#ofHeap()} gives to an API
     * @return new options
     */
    public GrpcRemoteOptions withMemory(MemoryBudget memory) {
        Draft draft = new Draft(this);
        draft.take(memory);
        return new GrpcRemoteOptions(draft);
    }

    /**
     * Returns a copy with this bound on calls in flight. Further ones fail as overloaded.
     *
     * @param calls 1 to 1,000,000; by default 10,000
     * @return new options
     */
    public GrpcRemoteOptions withMaxInFlight(int calls) {
        Draft draft = new Draft(this);
        draft.maxInFlight = calls;
        return new GrpcRemoteOptions(draft);
    }

    /**
     * Returns a copy with this bound on the bytes of keys and values in requests in flight. Calls that need more fail
     * as overloaded; a single call of any size passes.
     *
     * @param bytes {@code maxValueBytes} (but at least 1) to 1 TiB; by default {@link MemoryBudget#apiBytes()}: an
     *     eighth of the heap, up to 256 MiB
     * @return new options
     */
    public GrpcRemoteOptions withMaxInFlightBytes(long bytes) {
        Draft draft = new Draft(this);
        draft.maxInFlightBytes = bytes;
        return new GrpcRemoteOptions(draft);
    }

    /**
     * Returns a copy with this number of threads that read and write.
     *
     * @param threads 1 to 1024; by default the number of processors, at most 4
     * @return new options
     */
    public GrpcRemoteOptions withEventLoops(int threads) {
        Draft draft = new Draft(this);
        draft.eventLoops = threads;
        return new GrpcRemoteOptions(draft);
    }

    /**
     * Returns a copy with this time to connect. The call's timeout applies as well.
     *
     * @param timeout 1 ms to 1 hour; by default 5 seconds
     * @return new options
     */
    public GrpcRemoteOptions withConnectTimeout(Duration timeout) {
        Draft draft = new Draft(this);
        draft.connectTimeout = timeout;
        return new GrpcRemoteOptions(draft);
    }

    /**
     * Returns a copy with a token that each call carries.
     *
     * @param token 1 to 512 characters of printable ASCII without spaces, as it stands in the nodes' files
     * @return new options
     */
    public GrpcRemoteOptions withToken(String token) {
        Draft draft = new Draft(this);
        draft.token = Optional.of(token);
        return new GrpcRemoteOptions(draft);
    }

    /**
     * Returns a copy with TLS: nodes must show a certificate that leads to one of the authorities and bears the called
     * host name.
     *
     * @param files the trusted authorities; a certificate, if there is one, is shown to nodes that ask for it
     * @return new options
     */
    public GrpcRemoteOptions withTls(TlsFiles files) {
        Draft draft = new Draft(this);
        draft.tls = Optional.of(files);
        return new GrpcRemoteOptions(draft);
    }

    /**
     * Returns a copy that may send the token in plaintext beyond loopback.
     *
     * @return new options
     */
    public GrpcRemoteOptions withPlaintextAllowed() {
        Draft draft = new Draft(this);
        draft.plaintextAllowed = true;
        return new GrpcRemoteOptions(draft);
    }

    int maxValueBytes() {
        return maxValueBytes;
    }

    int maxBatchBytes() {
        return maxBatchBytes;
    }

    int maxPageBytes() {
        return maxPageBytes;
    }

    /** Returns the size of the largest message that is taken from a node. */
    int maxMessageBytes() {
        return Math.max(maxValueBytes, maxBatchBytes) + MESSAGE_OVERHEAD;
    }

    int maxInFlight() {
        return maxInFlight;
    }

    long maxInFlightBytes() {
        return maxInFlightBytes;
    }

    int eventLoops() {
        return eventLoops;
    }

    Duration connectTimeout() {
        return connectTimeout;
    }

    Optional<String> token() {
        return token;
    }

    Optional<TlsFiles> tls() {
        return tls;
    }

    boolean plaintextAllowed() {
        return plaintextAllowed;
    }

    /** The same fields, mutable. */
    private static final class Draft {

        private int maxValueBytes;
        private int maxBatchBytes;
        private int maxPageBytes;
        private int maxInFlight = 10_000;
        private long maxInFlightBytes;
        private int eventLoops = Math.min(4, Runtime.getRuntime().availableProcessors());
        private Duration connectTimeout = Duration.ofSeconds(5);
        private Optional<String> token = Optional.empty();
        private Optional<TlsFiles> tls = Optional.empty();
        private boolean plaintextAllowed;

        Draft() {
            take(MemoryBudget.ofHeap());
        }

        private void take(MemoryBudget memory) {
            maxValueBytes = memory.maxValueBytes();
            maxInFlightBytes = memory.apiBytes();
            maxPageBytes = (int) Math.min(1 << 20, memory.apiBytes() / 4);
            maxBatchBytes = (int) Math.min(32 << 20, memory.apiBytes());
        }

        Draft(GrpcRemoteOptions from) {
            maxValueBytes = from.maxValueBytes;
            maxBatchBytes = from.maxBatchBytes;
            maxPageBytes = from.maxPageBytes;
            maxInFlight = from.maxInFlight;
            maxInFlightBytes = from.maxInFlightBytes;
            eventLoops = from.eventLoops;
            connectTimeout = from.connectTimeout;
            token = from.token;
            tls = from.tls;
            plaintextAllowed = from.plaintextAllowed;
        }
    }
}
