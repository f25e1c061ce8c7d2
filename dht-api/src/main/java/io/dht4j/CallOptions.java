package io.dht4j;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Options of one call. An option that is absent takes its value from the cluster's configuration. Immutable.
 *
 * @param policy how many replicas must answer
 * @param timeout the time limit of the call, more than zero and at most {@link #MAX_TIMEOUT}; the call fails when it
 *     has passed
 * @param timeToLive for {@code put} and {@code putAll} only: how long the value stays readable, at least one
 *     millisecond and at most {@link #MAX_TIME_TO_LIVE}
 * @param ordering the order in which operations on a key take effect; refused for scans and snapshots
 * @param traceContext the span that the call belongs to, for a cluster with a {@link io.dht4j.spi.Tracer}; without it,
 *     the one that is current on the calling thread
 * @param requestId for an operation on an atomic key only: its id, by which a repeated operation is executed once;
 *     without it, the operation gets a new one
 */
public record CallOptions(
        Optional<ReplicationPolicy> policy,
        Optional<Duration> timeout,
        Optional<Duration> timeToLive,
        Optional<Ordering> ordering,
        Optional<TraceContext> traceContext,
        Optional<RequestId> requestId) {

    /** The longest timeout of a call. */
    public static final Duration MAX_TIMEOUT = Duration.ofHours(1);

    /** The longest time to live: a thousand years of 365 days. */
    public static final Duration MAX_TIME_TO_LIVE = Duration.ofDays(365_000);

    private static final CallOptions DEFAULTS = new CallOptions(
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /**
     * Checks the ranges.
     *
     * @throws InvalidRequestException if a duration is out of its range
     */
    public CallOptions {
        Objects.requireNonNull(policy, "policy");
        Objects.requireNonNull(timeout, "timeout");
        Objects.requireNonNull(timeToLive, "timeToLive");
        Objects.requireNonNull(ordering, "ordering");
        Objects.requireNonNull(traceContext, "traceContext");
        Objects.requireNonNull(requestId, "requestId");
        timeout.ifPresent(t -> {
            if (t.isNegative() || t.isZero() || t.compareTo(MAX_TIMEOUT) > 0) {
                throw new InvalidRequestException(
                        ErrorCode.TIMEOUT_INVALID,
                        "timeout must be more than zero and at most 1h, not " + Ranges.text(t),
                        true);
            }
        });
        timeToLive.ifPresent(t -> {
            if (t.compareTo(Duration.ofMillis(1)) < 0 || t.compareTo(MAX_TIME_TO_LIVE) > 0) {
                throw new InvalidRequestException(
                        ErrorCode.TTL_INVALID, "time to live must be 1ms to 365000d, not " + Ranges.text(t), true);
            }
        });
    }

    /**
     * Returns options with nothing set.
     *
     * @return options with nothing set
     */
    public static CallOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns these options with another policy.
     *
     * @param policy how many replicas must answer
     * @return new options
     */
    public CallOptions withPolicy(ReplicationPolicy policy) {
        return new CallOptions(
                Optional.of(Objects.requireNonNull(policy, "policy")),
                timeout,
                timeToLive,
                ordering,
                traceContext,
                requestId);
    }

    /**
     * Returns these options with another policy.
     *
     * @param ack how many replicas must answer
     * @param from how many replicas the coordinator asks
     * @return new options
     * @throws InvalidRequestException if not {@code 1 <= ack <= from}
     */
    public CallOptions withPolicy(int ack, int from) {
        return withPolicy(new ReplicationPolicy(ack, from));
    }

    /**
     * Returns these options with another timeout.
     *
     * @param timeout the time limit of the call
     * @return new options
     * @throws InvalidRequestException if it is out of range
     */
    public CallOptions withTimeout(Duration timeout) {
        return new CallOptions(
                policy,
                Optional.of(Objects.requireNonNull(timeout, "timeout")),
                timeToLive,
                ordering,
                traceContext,
                requestId);
    }

    /**
     * Returns these options with another time to live.
     *
     * @param timeToLive how long a value stays readable
     * @return new options
     * @throws InvalidRequestException if it is out of range
     */
    public CallOptions withTimeToLive(Duration timeToLive) {
        return new CallOptions(
                policy,
                timeout,
                Optional.of(Objects.requireNonNull(timeToLive, "timeToLive")),
                ordering,
                traceContext,
                requestId);
    }

    /**
     * Returns these options without a time to live.
     *
     * @return new options, or these if they have none
     */
    public CallOptions withoutTimeToLive() {
        return timeToLive.isEmpty()
                ? this
                : new CallOptions(policy, timeout, Optional.empty(), ordering, traceContext, requestId);
    }

    /**
     * Returns these options with another ordering.
     *
     * @param ordering the order in which operations on a key take effect
     * @return new options
     */
    public CallOptions withOrdering(Ordering ordering) {
        return new CallOptions(
                policy,
                timeout,
                timeToLive,
                Optional.of(Objects.requireNonNull(ordering, "ordering")),
                traceContext,
                requestId);
    }

    /**
     * Returns these options with a span that the call belongs to, for callers that change threads.
     *
     * @param traceContext the span
     * @return new options
     */
    public CallOptions withTraceContext(TraceContext traceContext) {
        return new CallOptions(
                policy,
                timeout,
                timeToLive,
                ordering,
                Optional.of(Objects.requireNonNull(traceContext, "traceContext")),
                requestId);
    }

    /**
     * Returns these options with the id of an operation on an atomic key.
     *
     * @param requestId the id, for example {@link IndeterminateException#requestId()} of an earlier attempt
     * @return new options
     */
    public CallOptions withRequestId(RequestId requestId) {
        return new CallOptions(
                policy,
                timeout,
                timeToLive,
                ordering,
                traceContext,
                Optional.of(Objects.requireNonNull(requestId, "requestId")));
    }
}
