package io.dht4j.transport.http.internal.api;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;

/** Reads the announcement of a request's body in its head. Belongs to the request's event loop. */
final class AnnouncedBody {

    /** The largest announced length of an unwanted body that is read and dropped; a longer one ends the connection. */
    private static final long SMALL_BODY = 256 * 1024;

    private final HttpServerRequest request;
    private final long length;
    private final boolean exists;
    private boolean continueIsDue;
    private boolean isLate;

    AnnouncedBody(HttpServerRequest request) {
        this.request = request;
        this.length = contentLength(request);
        this.exists = length > 0 || (length < 0 && comesInParts(request));
        this.continueIsDue = exists
                && request.version() != HttpVersion.HTTP_1_0
                && "100-continue".equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT));
    }

    /** Returns the length that the client announced, or -1. The decoder has checked its form. */
    private static long contentLength(HttpServerRequest request) {
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        return length == null ? -1 : Long.parseLong(length.trim());
    }

    /**
     * Returns whether a body of unannounced length comes. HTTP/2 reveals that only with the next frame. A method that
     * takes a body therefore counts as having one, perhaps empty, and an unwanted body is dropped.
     */
    private static boolean comesInParts(HttpServerRequest request) {
        return request.version() == HttpVersion.HTTP_2
                ? request.method().equals(HttpMethod.PUT) || request.method().equals(HttpMethod.POST)
                : request.headers().contains(HttpHeaders.TRANSFER_ENCODING);
    }

    /** Returns the announced length; -1 if there is no body or it comes in chunks. */
    long length() {
        return length;
    }

    boolean exists() {
        return exists;
    }

    /** Asks a client that waits for it to send its body. */
    void writeContinue() {
        if (continueIsDue) {
            continueIsDue = false;
            request.response().writeContinue();
        }
    }

    /** Abandons the body: the connection ends after the answer. */
    void isLate() {
        isLate = true;
    }

    /** Returns whether some of the body has not come yet. */
    boolean isUnderWay() {
        return exists && !request.isEnded();
    }

    /** Returns whether the connection is not worth keeping for the rest of the body. */
    boolean endsConnection() {
        return isLate || continueIsDue || length < 0 || length > SMALL_BODY;
    }
}
