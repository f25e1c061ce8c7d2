package io.dht4j.transport.http.internal.remote;

/**
 * The bounds of a client of the public API.
 *
 * @param maxInFlight the most calls in flight
 * @param maxInFlightBytes the most bytes of the requests in flight
 * @param maxValueBytes the largest value
 * @param maxPageBytes the bytes of keys and values after which a page of a scan ends
 * @param maxBatchBytes the most bytes of keys and values in the answer to a batch
 */
public record HttpRemoteLimits(
        int maxInFlight, long maxInFlightBytes, int maxValueBytes, int maxPageBytes, int maxBatchBytes) {}
