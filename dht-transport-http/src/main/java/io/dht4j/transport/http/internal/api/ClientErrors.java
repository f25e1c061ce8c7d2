package io.dht4j.transport.http.internal.api;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.IndeterminateException;
import io.dht4j.transport.common.RateLimitedLog;
import io.dht4j.transport.http.internal.common.HttpProblem;
import io.dht4j.transport.http.internal.common.HttpText;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the errors that clients see, and logs the details of unexpected ones. Safe for use by any number of threads.
 */
final class ClientErrors {

    private static final Logger LOG = LoggerFactory.getLogger(ClientErrors.class);

    private static final int UNAUTHORIZED = 401;
    private static final String CHALLENGE = "Bearer realm=\"dht4j\"";

    private final RateLimitedLog limited;

    /**
     * Creates an object that logs.
     *
     * @param limited for frequent failures
     */
    ClientErrors(RateLimitedLog limited) {
        this.limited = limited;
    }

    /** Returns the answer to a request that has failed. An unexpected error is logged. */
    HttpProblem problemOf(HttpServerRequest request, Throwable error) {
        Throwable cause = DhtException.unwrap(error);
        if (cause instanceof IndeterminateException unknown
                && unknown.requestId().isPresent()) {
            return HttpProblem.of(
                    unknown.code(),
                    String.valueOf(unknown.getMessage()),
                    unknown.requestId().get());
        }
        if (cause instanceof DhtException known) {
            return HttpProblem.of(known.code(), String.valueOf(known.getMessage()));
        }
        logUnexpected(request, "failed", cause);
        return HttpProblem.of(
                ErrorCode.INTERNAL, "an internal fault, logged at this node; the request may have been carried out");
    }

    /** Sets the headers of an answer with an error. */
    static void putHeaders(HttpProblem problem, HttpServerResponse response) {
        response.putHeader(HttpHeaders.CONTENT_TYPE, HttpProblem.CONTENT_TYPE);
        if (problem.retryLater()) {
            response.putHeader(HttpHeaders.RETRY_AFTER, "1");
        }
        if (problem.status() == UNAUTHORIZED) {
            response.putHeader("WWW-Authenticate", CHALLENGE);
        }
    }

    /** Logs that an answer whose status was already sent ends early. */
    void logTruncated(HttpServerRequest request, Throwable error) {
        Throwable cause = DhtException.unwrap(error);
        if (cause instanceof DhtException known) {
            limited.log(() -> shown(request) + " truncated: " + known.getMessage());
        } else {
            logUnexpected(request, "truncated", cause);
        }
    }

    /** Logs a fault. Any request may run out of memory: a stack trace would only show a victim. */
    private void logUnexpected(HttpServerRequest request, String what, Throwable cause) {
        if (cause instanceof OutOfMemoryError) {
            limited.log(() -> "no memory for " + shown(request) + ": " + cause);
        } else {
            LOG.error("{} {} in an unexpected way", shown(request), what, cause);
        }
    }

    private static String shown(HttpServerRequest request) {
        return request.method() + " " + HttpText.shown(request.path());
    }
}
