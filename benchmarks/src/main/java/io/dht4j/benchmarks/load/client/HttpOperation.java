package io.dht4j.benchmarks.load.client;

import io.dht4j.lab.internal.load.Outcome;
import io.netty.handler.codec.http.HttpMethod;

/** An operation of the HTTP API. Immutable. */
final class HttpOperation {

    private static final String ENTITY = "/v0/entity?id=";
    private static final String ENTITIES = "/v0/entities?start=";
    private static final byte[] NONE = {};
    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final int NOT_FOUND = 404;

    private final HttpMethod method;
    private final String target;
    private final byte[] value;

    private HttpOperation(HttpMethod method, String target, byte[] value) {
        this.method = method;
        this.target = target;
        this.value = value;
    }

    static HttpOperation get(String key) {
        return new HttpOperation(HttpMethod.GET, ENTITY + key, NONE);
    }

    static HttpOperation put(String key, byte[] value) {
        return new HttpOperation(HttpMethod.PUT, ENTITY + key, value);
    }

    /** Reads a number of entries, from a key on and before another one. */
    static HttpOperation scan(String key, String end, int entries) {
        return new HttpOperation(HttpMethod.GET, ENTITIES + key + "&end=" + end + "&limit=" + entries, NONE);
    }

    HttpMethod method() {
        return method;
    }

    /** Returns the path and the first parameters. */
    String target() {
        return target;
    }

    /** Returns the body. */
    byte[] value() {
        return value;
    }

    boolean isPut() {
        return method.equals(HttpMethod.PUT);
    }

    private boolean isScan() {
        return target.startsWith(ENTITIES);
    }

    /** Returns whether it may end with such an answer. */
    boolean isExpected(int status) {
        return isPut() ? status == CREATED : status == OK || (status == NOT_FOUND && !isScan());
    }

    /**
     * Returns the outcome that an expected answer means.
     *
     * @param hasBody whether the answer has a body: that of a scan without entries is empty, unlike any other scan's
     */
    Outcome outcome(int status, boolean hasBody) {
        return status == NOT_FOUND || (isScan() && !hasBody) ? Outcome.ABSENT : Outcome.DONE;
    }
}
