package io.dht4j.transport.common.options;

import static java.util.Objects.requireNonNull;

import io.dht4j.Ranges;
import io.dht4j.spi.MemoryBudget;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The options that every public API has: limits, access and the patience with its clients. Immutable. Every
 * {@code with} method returns a copy, and throws an {@link IllegalArgumentException} that names option, value and
 * allowed range.
 *
 * @param <T> the options of one API
 */
public abstract class PublicApiOptions<T extends PublicApiOptions<T>> extends ListenerOptions<T> {

    private static final int LARGEST = 1 << 30;
    private static final int LARGEST_DEFAULT_BATCH = 32 << 20;

    private final Settings settings;

    /**
     * How much is held for clients.
     *
     * @param maxValueBytes the largest value that is read from a client
     * @param maxInFlight requests in flight
     * @param maxBodyBytesInFlight the bytes of requests and answers in flight
     * @param maxBatchBytes the largest batch
     * @param maxBatchKeys the keys of a batch
     */
    public record Limits(
            int maxValueBytes, int maxInFlight, long maxBodyBytesInFlight, int maxBatchBytes, int maxBatchKeys) {

        /**
         * Checks the ranges.
         *
         * @throws IllegalArgumentException if one is out of its range
         */
        public Limits {
            Ranges.require("maxValueBytes", maxValueBytes, 0, LARGEST);
            Ranges.require("maxInFlight", maxInFlight, 1, 1_000_000);
            Budgets.require("maxBodyBytesInFlight", maxBodyBytesInFlight, 1, 1L << 40, "maxValueBytes", maxValueBytes);
            Ranges.require("maxBatchBytes", maxBatchBytes, 1024, LARGEST);
            Ranges.require("maxBatchKeys", maxBatchKeys, 1, 1_000_000);
        }

        private static Limits of(MemoryBudget memory, int maxInFlight, int maxBatchKeys) {
            // A batch that would not fit even alone is refused as too large, and not as an overload.
            return new Limits(
                    memory.maxValueBytes(),
                    maxInFlight,
                    memory.apiBytes(),
                    (int) Math.min(LARGEST_DEFAULT_BATCH, memory.apiBytes()),
                    maxBatchKeys);
        }
    }

    /**
     * How long the API waits for its clients.
     *
     * @param bodyTimeout for a whole request to arrive
     * @param writeTimeout for a client to take an answer
     */
    public record Patience(Duration bodyTimeout, Duration writeTimeout) {

        /**
         * Checks the ranges.
         *
         * @throws IllegalArgumentException if one is out of its range
         */
        public Patience {
            Ranges.require("bodyTimeout", bodyTimeout, Duration.ofMillis(1), Duration.ofHours(1));
            Ranges.require("writeTimeout", writeTimeout, Duration.ofMillis(1), Duration.ofHours(1));
        }
    }

    /**
     * All groups of these options.
     *
     * @param limits how much is held for clients
     * @param patience how long the API waits for its clients
     * @param tokens the file of tokens; empty if clients need none
     * @param listener how connections are accepted and closed
     */
    protected record Settings(Limits limits, Patience patience, Optional<Path> tokens, Listener listener) {

        /**
         * Checks the files of TLS.
         *
         * @throws IllegalArgumentException if a file is missing
         */
        public Settings {
            listener.security().requireServerFiles(false);
        }

        /**
         * Returns the defaults.
         *
         * @return the defaults
         */
        public static Settings defaults() {
            return new Settings(
                    Limits.of(MemoryBudget.ofHeap(), 4096, 10_000),
                    new Patience(Duration.ofSeconds(30), Duration.ofSeconds(30)),
                    Optional.empty(),
                    Listener.defaults(Duration.ofSeconds(5)));
        }
    }

    /**
     * Creates options.
     *
     * @param settings the groups
     */
    protected PublicApiOptions(Settings settings) {
        super(settings.listener);
        this.settings = settings;
    }

    /**
     * Returns a copy.
     *
     * @param changed the groups
     * @return new options
     */
    protected abstract T with(Settings changed);

    @Override
    protected final T with(Listener changed) {
        return with(new Settings(settings.limits, settings.patience, settings.tokens, changed));
    }

    private T with(Limits changed) {
        return with(new Settings(changed, settings.patience, settings.tokens, settings.listener));
    }

    private T with(Patience changed) {
        return with(new Settings(settings.limits, changed, settings.tokens, settings.listener));
    }

    /**
     * Returns a copy with the limits of this budget: the largest value, the bytes that are held for clients, and
     * batches that do not exceed them. Of this budget and the single limits, the last one set applies.
     *
     * @param memory the node's, by default that of the heap
     * @return new options
     */
    public T withMemory(MemoryBudget memory) {
        return with(
                Limits.of(requireNonNull(memory, "memory"), settings.limits.maxInFlight, settings.limits.maxBatchKeys));
    }

    /**
     * Returns a copy with this largest value that is read from a client. The cluster's own limit applies as well.
     *
     * @param bytes 0 to 1 GiB, and at most {@code maxBodyBytesInFlight}; by default 16 MiB
     * @return new options
     */
    public T withMaxValueBytes(int bytes) {
        Limits now = settings.limits;
        return with(new Limits(bytes, now.maxInFlight, now.maxBodyBytesInFlight, now.maxBatchBytes, now.maxBatchKeys));
    }

    /**
     * Returns a copy with this bound on requests in flight for values, scans and batches, including those that wait for
     * their client. Further ones are refused as overloaded; over HTTP they are answered 503. Over gRPC, {@code Locate},
     * {@code Status} and repairs have a bound of their own: as many again, but at least 100.
     *
     * @param requests 1 to 1,000,000; by default 4096
     * @return new options
     */
    public T withMaxInFlight(int requests) {
        Limits now = settings.limits;
        return with(
                new Limits(now.maxValueBytes, requests, now.maxBodyBytesInFlight, now.maxBatchBytes, now.maxBatchKeys));
    }

    /**
     * Returns a copy with this bound on the bytes that are held for clients that are sending requests or receiving
     * answers. Requests that need more are refused as overloaded; over HTTP they are answered 503.
     *
     * @param bytes {@code maxValueBytes} (but at least 1) to 1 TiB; by default an eighth of the heap, up to 256 MiB
     * @return new options
     */
    public T withMaxBodyBytesInFlight(long bytes) {
        Limits now = settings.limits;
        return with(new Limits(now.maxValueBytes, now.maxInFlight, bytes, now.maxBatchBytes, now.maxBatchKeys));
    }

    /**
     * Returns a copy with this largest batch. Over HTTP it is the body as it is sent, where values are a third longer.
     * Over gRPC it is the keys and values of a batch or of its answer, and bounds messages: the larger of this and
     * {@code maxValueBytes}, plus 64 KiB, plus 32 bytes for each key that a batch may have.
     *
     * @param bytes 1 KiB to 1 GiB; by default 32 MiB, and less on a small heap
     * @return new options
     */
    public T withMaxBatchBytes(int bytes) {
        Limits now = settings.limits;
        return with(new Limits(now.maxValueBytes, now.maxInFlight, now.maxBodyBytesInFlight, bytes, now.maxBatchKeys));
    }

    /**
     * Returns a copy with this bound on the keys of a batch. The cluster's own limit applies as well.
     *
     * @param keys 1 to 1,000,000; by default 10,000
     * @return new options
     */
    public T withMaxBatchKeys(int keys) {
        Limits now = settings.limits;
        return with(new Limits(now.maxValueBytes, now.maxInFlight, now.maxBodyBytesInFlight, now.maxBatchBytes, keys));
    }

    /**
     * Returns a copy with this time for a client to send a whole request. After it the request is refused; over HTTP it
     * is answered 408.
     *
     * @param timeout 1 ms to 1 hour; by default 30 seconds
     * @return new options
     */
    public T withBodyTimeout(Duration timeout) {
        return with(new Patience(timeout, settings.patience.writeTimeout));
    }

    /**
     * Returns a copy with this time for a client to receive an answer, or to receive any bytes of a scan or batch.
     * After it the connection is closed; over gRPC only the call is ended.
     *
     * @param timeout 1 ms to 1 hour; by default 30 seconds
     * @return new options
     */
    public T withWriteTimeout(Duration timeout) {
        return with(new Patience(settings.patience.bodyTimeout, timeout));
    }

    /**
     * Returns a copy with tokens: each request must carry one of sufficient scope, see
     * {@link io.dht4j.security.Tokens}. Probes, health and reflection need none.
     *
     * @param file where they are; read when the API starts, and again when it changes
     * @return new options
     */
    public T withTokens(Path file) {
        return with(new Settings(
                settings.limits, settings.patience, Optional.of(requireNonNull(file, "file")), settings.listener));
    }

    /**
     * Returns how much is held for clients.
     *
     * @return the limits
     */
    public final Limits limits() {
        return settings.limits;
    }

    /**
     * Returns how long the API waits for its clients.
     *
     * @return the times
     */
    public final Patience patience() {
        return settings.patience;
    }

    /**
     * Returns the file of tokens.
     *
     * @return empty if clients need no token
     */
    public final Optional<Path> tokens() {
        return settings.tokens;
    }

    /**
     * Returns all groups of these options.
     *
     * @return the groups
     */
    protected final Settings settings() {
        return settings;
    }
}
