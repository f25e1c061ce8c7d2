package io.dht4j.transport.common.options;

import static java.util.Objects.requireNonNull;

import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.Ranges;
import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.TlsFiles;
import java.time.Duration;
import java.util.Optional;

/**
 * The options that every client of a public API has: encryption, token and limits. Immutable. Every {@code with} method
 * returns a copy, and throws an {@link IllegalArgumentException} that names option, value and allowed range. The token
 * appears in no message.
 *
 * @param <T> the options of one client
 */
public abstract class RemoteApiOptions<T extends RemoteApiOptions<T>> {

    private static final int MIN_TOKEN = 16;
    private static final int MAX_TOKEN = 512;
    private static final int LARGEST = 1 << 30;
    private static final int LARGEST_DEFAULT_PAGE = 4 << 20;
    private static final int LARGEST_DEFAULT_BATCH = 64 << 20;

    private final Settings settings;

    /**
     * How much a client holds at a time.
     *
     * @param maxValueBytes the largest value
     * @param maxInFlight calls in flight
     * @param maxInFlightBytes the bytes of requests in flight
     * @param maxPageBytes a page of a scan
     * @param maxBatchBytes the largest batch
     */
    public record Limits(
            int maxValueBytes, int maxInFlight, long maxInFlightBytes, int maxPageBytes, int maxBatchBytes) {

        /**
         * Checks the ranges.
         *
         * @throws IllegalArgumentException if one is out of its range, or the bytes in flight are less than a value
         */
        public Limits {
            Ranges.require("maxValueBytes", maxValueBytes, 0, LARGEST);
            Ranges.require("maxInFlight", maxInFlight, 1, 1_000_000);
            Budgets.require("maxInFlightBytes", maxInFlightBytes, 1024, 1L << 40, "maxValueBytes", maxValueBytes);
            Ranges.require("maxPageBytes", maxPageBytes, 1024, LARGEST);
            Ranges.require("maxBatchBytes", maxBatchBytes, 1024, LARGEST);
        }

        /**
         * Checks a value before it is sent.
         *
         * @param key the value's key, for the message
         * @param value the value
         * @throws InvalidRequestException if it is larger than {@code maxValueBytes}
         */
        public void requireFits(Key key, byte[] value) {
            if (value.length > maxValueBytes) {
                throw new InvalidRequestException(
                        ErrorCode.VALUE_TOO_LARGE,
                        "a value has at most " + maxValueBytes + " bytes, that of key " + key + " has " + value.length);
            }
        }

        /**
         * Checks a batch before it is sent.
         *
         * @param bytes the sum of its keys and values
         * @throws InvalidRequestException if it is larger than {@code maxBatchBytes}
         */
        public void requireBatchFits(long bytes) {
            if (bytes > maxBatchBytes) {
                throw new InvalidRequestException(
                        ErrorCode.BATCH_TOO_LARGE,
                        "a batch has at most " + maxBatchBytes + " bytes of keys and values, this one has " + bytes);
            }
        }

        private static Limits of(MemoryBudget memory, int maxInFlight) {
            return new Limits(
                    memory.maxValueBytes(),
                    maxInFlight,
                    memory.apiBytes(),
                    (int) Math.min(LARGEST_DEFAULT_PAGE, memory.apiBytes() / 4),
                    (int) Math.min(LARGEST_DEFAULT_BATCH, memory.apiBytes()));
        }
    }

    /** All groups of these options. A class, so that no text shows the token. */
    protected static final class Settings {

        private final WireSecurity security;
        private final Optional<String> token;
        private final Duration connectTimeout;
        private final Limits limits;

        private Settings(WireSecurity security, Optional<String> token, Duration connectTimeout, Limits limits) {
            Ranges.require("connectTimeout", connectTimeout, Duration.ofMillis(1), Duration.ofMinutes(10));
            token.ifPresent(Settings::requireToken);
            this.security = security;
            this.token = token;
            this.connectTimeout = connectTimeout;
            this.limits = limits;
        }

        /**
         * Returns the defaults.
         *
         * @return the defaults
         */
        public static Settings defaults() {
            return new Settings(
                    WireSecurity.onLoopback(),
                    Optional.empty(),
                    Duration.ofSeconds(2),
                    Limits.of(MemoryBudget.ofHeap(), 10_000));
        }

        private static void requireToken(String text) {
            long foreign = text.chars().filter(c -> c <= ' ' || c >= 0x7F).count();
            if (text.length() < MIN_TOKEN || text.length() > MAX_TOKEN || foreign > 0) {
                throw new IllegalArgumentException("token must be " + MIN_TOKEN + " to " + MAX_TOKEN
                        + " characters of printable ASCII without spaces, not " + text.length()
                        + (foreign > 0 ? " of which " + foreign + " are others" : ""));
            }
        }
    }

    /**
     * Creates options.
     *
     * @param settings the groups
     */
    protected RemoteApiOptions(Settings settings) {
        this.settings = settings;
    }

    /**
     * Returns a copy.
     *
     * @param changed the groups
     * @return new options
     */
    protected abstract T with(Settings changed);

    private T with(WireSecurity changed) {
        return with(new Settings(changed, settings.token, settings.connectTimeout, settings.limits));
    }

    private T with(Limits changed) {
        return with(new Settings(settings.security, settings.token, settings.connectTimeout, changed));
    }

    /**
     * Returns a copy with TLS. A node must show a certificate that leads to one of the authorities and bears the host
     * of its address.
     *
     * @param files the trusted authorities, and the client's own certificate if the nodes ask for one
     * @return new options
     */
    public T withTls(TlsFiles files) {
        return with(settings.security.withTls(files));
    }

    /**
     * Returns a copy that may send the token in plaintext beyond loopback.
     *
     * @return new options
     */
    public T withPlaintextAllowed() {
        return with(settings.security.withPlaintextAllowed());
    }

    /**
     * Returns a copy with a token, which is sent with every request.
     *
     * @param token 16 to 512 characters of printable ASCII without spaces, as in the nodes' files
     * @return new options
     */
    public T withToken(String token) {
        return with(new Settings(
                settings.security,
                Optional.of(requireNonNull(token, "token")),
                settings.connectTimeout,
                settings.limits));
    }

    /**
     * Returns a copy with this time to connect; a TLS handshake has ten seconds after that. A call's own timeout
     * applies as well.
     *
     * @param timeout 1 ms to 10 minutes; by default 2 seconds
     * @return new options
     */
    public T withConnectTimeout(Duration timeout) {
        return with(new Settings(settings.security, settings.token, timeout, settings.limits));
    }

    /**
     * Returns a copy with the limits of this budget: the largest value, the bytes of requests in flight, and pages and
     * batches that do not exceed them. Of this budget and the single limits, the last one set applies.
     *
     * @param memory the budget of this client, by default the part of {@link MemoryBudget#ofHeap()} for an API
     * @return new options
     */
    public T withMemory(MemoryBudget memory) {
        return with(Limits.of(requireNonNull(memory, "memory"), settings.limits.maxInFlight));
    }

    /**
     * Returns a copy with this largest value that is sent or read. The node's own limits apply as well.
     *
     * @param bytes 0 to 1 GiB, and at most {@code maxInFlightBytes}; by default 16 MiB
     * @return new options
     */
    public T withMaxValueBytes(int bytes) {
        Limits now = settings.limits;
        return with(new Limits(bytes, now.maxInFlight, now.maxInFlightBytes, now.maxPageBytes, now.maxBatchBytes));
    }

    /**
     * Returns a copy with this bound on calls that are in flight or wait. Further ones fail at once, as overloaded.
     *
     * @param calls 1 to 1,000,000; by default 10,000
     * @return new options
     */
    public T withMaxInFlight(int calls) {
        Limits now = settings.limits;
        return with(new Limits(now.maxValueBytes, calls, now.maxInFlightBytes, now.maxPageBytes, now.maxBatchBytes));
    }

    /**
     * Returns a copy with this bound on the bytes of requests in flight. Further ones fail at once, as overloaded. A
     * bound below {@code maxValueBytes} is refused, because a single value would exceed it. A larger batch is sent
     * while no other request is in flight.
     *
     * @param bytes 1 KiB to 1 TiB, and at least {@code maxValueBytes}; by default {@link MemoryBudget#apiBytes()}: an
     *     eighth of the heap, up to 256 MiB
     * @return new options
     */
    public T withMaxInFlightBytes(long bytes) {
        Limits now = settings.limits;
        return with(new Limits(now.maxValueBytes, now.maxInFlight, bytes, now.maxPageBytes, now.maxBatchBytes));
    }

    /**
     * Returns a copy with this size of a scan's page in bytes of keys and values. A page ends with the entry that
     * reaches the size.
     *
     * @param bytes 1 KiB to 1 GiB; by default a quarter of the bytes of requests in flight, up to 4 MiB
     * @return new options
     */
    public T withMaxPageBytes(int bytes) {
        Limits now = settings.limits;
        return with(new Limits(now.maxValueBytes, now.maxInFlight, now.maxInFlightBytes, bytes, now.maxBatchBytes));
    }

    /**
     * Returns a copy with this bound on the keys and values in the answer to a batch, over gRPC also in the request.
     * The node's own limits apply as well.
     *
     * @param bytes 1 KiB to 1 GiB; by default the bytes of requests in flight, up to 64 MiB
     * @return new options
     */
    public T withMaxBatchBytes(int bytes) {
        Limits now = settings.limits;
        return with(new Limits(now.maxValueBytes, now.maxInFlight, now.maxInFlightBytes, now.maxPageBytes, bytes));
    }

    /**
     * Returns the encryption.
     *
     * @return the present values
     */
    public final WireSecurity security() {
        return settings.security;
    }

    /**
     * Returns the token.
     *
     * @return a secret, or empty
     */
    public final Optional<String> token() {
        return settings.token;
    }

    /**
     * Returns the time to connect.
     *
     * @return the time
     */
    public final Duration connectTimeout() {
        return settings.connectTimeout;
    }

    /**
     * Returns how much the client holds at a time.
     *
     * @return the limits
     */
    public final Limits limits() {
        return settings.limits;
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
