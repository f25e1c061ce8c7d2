package io.dht4j.server.client;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.LinkedHashMap;
import java.util.Map;

/** A request of the public HTTP API, which may be sent to several nodes one after the other. For one call. */
final class ApiRequest {

    private final String method;
    private final String pathAndQuery;
    private final BodyPublisher body;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private boolean isRepeatable = true;
    /** Whether a node was sent the request whose answer is missing. */
    private volatile boolean mayBeDone;

    /**
     * Creates a request, which may be repeated.
     *
     * @param method its method
     * @param pathAndQuery that follow the base URL of a node
     * @param body may be sent again
     */
    ApiRequest(String method, String pathAndQuery, BodyPublisher body) {
        this.method = method;
        this.pathAndQuery = pathAndQuery;
        this.body = body;
    }

    /** Creates a request without a body, which may be repeated. */
    ApiRequest(String method, String pathAndQuery) {
        this(method, pathAndQuery, BodyPublishers.noBody());
    }

    ApiRequest header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    /** Keeps the request from other nodes after one may have carried it out. */
    ApiRequest once() {
        isRepeatable = false;
        return this;
    }

    String method() {
        return method;
    }

    String pathAndQuery() {
        return pathAndQuery;
    }

    /** Sets method, headers and body. */
    void apply(HttpRequest.Builder request) {
        headers.forEach(request::header);
        request.method(method, body);
    }

    /** Takes note of an attempt without an answer, which may have been carried out. */
    void unanswered() {
        mayBeDone = true;
    }

    /** Returns whether an attempt without an answer may have been carried out. */
    boolean mayBeDone() {
        return mayBeDone;
    }

    /** Returns whether another node may get it now. */
    boolean mayBeSentAgain() {
        return isRepeatable || !mayBeDone;
    }
}
