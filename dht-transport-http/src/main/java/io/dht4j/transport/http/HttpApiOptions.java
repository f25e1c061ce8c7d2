package io.dht4j.transport.http;

import java.time.Duration;

/**
 * What the public HTTP API accepts and how long it waits for its clients. Immutable.
 *
 * @param maxValueBytes the largest value that is read from a client, 0 to 1 GiB; the cluster's own limit counts besides
 * @param maxInFlight how many requests for entities may be under way, 1 to 1,000,000; further ones are answered 503
 * @param maxBodyBytesInFlight how many bytes of values may be held for clients that are sending or receiving them,
 *     {@code maxValueBytes} (but at least 1) to 1 TiB; requests that need more are answered 503
 * @param bodyTimeout how long a client may take to send a whole value, 1 ms to 1 hour; then the answer is 408
 * @param writeTimeout how long a client may take to receive an answer, for scans how long it may receive nothing, 1 ms to
 *     1 hour; then its connection is closed
 * @param idleTimeout how long a connection to {@link HttpApi#listening}'s own port may be silent, a request under way or
 *     not, 1 second to 2 hours; then it is closed
 * @param drainTimeout how long {@link HttpApi#close()} waits for requests under way, 0 to 10 minutes
 */
public record HttpApiOptions(
        int maxValueBytes,
        int maxInFlight,
        long maxBodyBytesInFlight,
        Duration bodyTimeout,
        Duration writeTimeout,
        Duration idleTimeout,
        Duration drainTimeout) {

    private static final int MAX_VALUE_BYTES = 1 << 30;
    private static final long MAX_BODY_BYTES = 1L << 40;
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofHours(1);

    private static final HttpApiOptions DEFAULTS = new HttpApiOptions(
            16 << 20,
            4096,
            256L << 20,
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Duration.ofSeconds(60),
            Duration.ofSeconds(5));

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if an option is out of its range
     */
    public HttpApiOptions {
        HttpOptionChecks.range("maxValueBytes", maxValueBytes, 0, MAX_VALUE_BYTES);
        HttpOptionChecks.range("maxInFlight", maxInFlight, 1, 1_000_000);
        HttpOptionChecks.range(
                "maxBodyBytesInFlight", maxBodyBytesInFlight, Math.max(1, maxValueBytes), MAX_BODY_BYTES);
        HttpOptionChecks.range("bodyTimeout", bodyTimeout, SHORTEST, LONGEST);
        HttpOptionChecks.range("writeTimeout", writeTimeout, SHORTEST, LONGEST);
        HttpOptionChecks.range("idleTimeout", idleTimeout, Duration.ofSeconds(1), Duration.ofHours(2));
        HttpOptionChecks.range("drainTimeout", drainTimeout, Duration.ZERO, Duration.ofMinutes(10));
    }

    /**
     * Values up to 16 MiB, 4096 requests and 256 MiB of values in flight, 30 seconds for a client to send or receive, 60
     * seconds of silence, 5 seconds for draining.
     *
     * @return the defaults
     */
    public static HttpApiOptions defaults() {
        return DEFAULTS;
    }

    /**
     * The same options with this limit.
     *
     * @param bytes the largest value, 0 to {@code maxBodyBytesInFlight}
     * @return new options
     * @throws IllegalArgumentException if it is out of range
     */
    public HttpApiOptions withMaxValueBytes(int bytes) {
        return new HttpApiOptions(
                bytes, maxInFlight, maxBodyBytesInFlight, bodyTimeout, writeTimeout, idleTimeout, drainTimeout);
    }

    /**
     * The same options with this limit.
     *
     * @param requests how many requests may be under way, 1 to 1,000,000
     * @return new options
     * @throws IllegalArgumentException if it is out of range
     */
    public HttpApiOptions withMaxInFlight(int requests) {
        return new HttpApiOptions(
                maxValueBytes, requests, maxBodyBytesInFlight, bodyTimeout, writeTimeout, idleTimeout, drainTimeout);
    }

    /**
     * The same options with this limit.
     *
     * @param bytes how many bytes of values may be in flight, {@code maxValueBytes} to 1 TiB
     * @return new options
     * @throws IllegalArgumentException if it is out of range
     */
    public HttpApiOptions withMaxBodyBytesInFlight(long bytes) {
        return new HttpApiOptions(
                maxValueBytes, maxInFlight, bytes, bodyTimeout, writeTimeout, idleTimeout, drainTimeout);
    }

    /**
     * The same options with this timeout.
     *
     * @param timeout how long a client may take to send a value, 1 ms to 1 hour
     * @return new options
     * @throws IllegalArgumentException if it is out of range
     */
    public HttpApiOptions withBodyTimeout(Duration timeout) {
        return new HttpApiOptions(
                maxValueBytes, maxInFlight, maxBodyBytesInFlight, timeout, writeTimeout, idleTimeout, drainTimeout);
    }

    /**
     * The same options with this timeout.
     *
     * @param timeout how long a client may take to receive an answer, 1 ms to 1 hour
     * @return new options
     * @throws IllegalArgumentException if it is out of range
     */
    public HttpApiOptions withWriteTimeout(Duration timeout) {
        return new HttpApiOptions(
                maxValueBytes, maxInFlight, maxBodyBytesInFlight, bodyTimeout, timeout, idleTimeout, drainTimeout);
    }

    /**
     * The same options with this timeout.
     *
     * @param timeout how long a connection may be silent, 1 second to 2 hours
     * @return new options
     * @throws IllegalArgumentException if it is out of range
     */
    public HttpApiOptions withIdleTimeout(Duration timeout) {
        return new HttpApiOptions(
                maxValueBytes, maxInFlight, maxBodyBytesInFlight, bodyTimeout, writeTimeout, timeout, drainTimeout);
    }

    /**
     * The same options with this timeout.
     *
     * @param timeout how long closing waits for requests under way, 0 to 10 minutes
     * @return new options
     * @throws IllegalArgumentException if it is out of range
     */
    public HttpApiOptions withDrainTimeout(Duration timeout) {
        return new HttpApiOptions(
                maxValueBytes, maxInFlight, maxBodyBytesInFlight, bodyTimeout, writeTimeout, idleTimeout, timeout);
    }
}
