package io.dht4j.transport.http.internal.api;

import java.time.Duration;

/**
 * The limits of one request of the public API.
 *
 * @param maxValueBytes the largest value
 * @param maxBatchBytes the largest body of a batch
 * @param maxBatchKeys the most lines of a batch
 * @param bodyTimeout how long the next part of a body may take
 * @param writeTimeout how long a client may leave an answer unread
 */
public record HttpApiLimits(
        int maxValueBytes, int maxBatchBytes, int maxBatchKeys, Duration bodyTimeout, Duration writeTimeout) {}
