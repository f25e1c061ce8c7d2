package io.dht4j.server.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to one of several nodes, and to the next one when that is unreachable or does not serve. Safe for use
 * by any number of threads.
 */
final class NodeRequests {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    /** How long a node works on a call by default. */
    private static final Duration TIMEOUT_OF_NODES = Duration.ofSeconds(5);

    /** A read waits for a node that is not the last one to be tried only for this part of the timeout. */
    private static final int SHARES = 8;

    private static final Duration SHORTEST_SHARE = Duration.ofSeconds(1);

    private final List<URI> nodes;
    private final Duration timeout;
    private final AnswerFailures failures;
    private final Optional<String> authorization;
    private final HttpClient http;
    private final AtomicInteger preferred = new AtomicInteger();

    /**
     * Creates a sender to these nodes.
     *
     * @param nodes base URLs of one node or more
     * @param timeout how long to wait for an answer's head
     * @param access credentials and trusted authorities
     */
    NodeRequests(List<URI> nodes, Duration timeout, Access access) {
        if (nodes.isEmpty()) {
            throw new IllegalArgumentException("a client needs a node");
        }
        this.nodes = List.copyOf(nodes);
        this.timeout = timeout;
        this.failures = new AnswerFailures(nodes.size(), timeout);
        this.authorization = access.token().map(token -> "Bearer " + token);
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT_TIMEOUT);
        access.tls().or(() -> unusedTls(nodes)).ifPresent(builder::sslContext);
        this.http = builder.build();
    }

    private static Optional<SSLContext> unusedTls(List<URI> nodes) {
        return nodes.stream().allMatch(node -> "http".equalsIgnoreCase(node.getScheme()))
                ? Optional.of(new UnusedTls())
                : Optional.empty();
    }

    /**
     * Sends a request, perhaps to several nodes one after the other.
     *
     * @param method of the request
     * @param pathAndQuery that follow the base URL
     * @param body of the request, which may be sent again
     * @param handler reads the answer
     * @return the answer of the node that serves, or of the last one; fails with a {@link ClientException}
     */
    <T> CompletableFuture<HttpResponse<T>> send(
            String method, String pathAndQuery, BodyPublisher body, BodyHandler<T> handler) {
        return send(new ApiRequest(method, pathAndQuery, body), handler);
    }

    /**
     * Sends a request, perhaps to several nodes one after the other.
     *
     * @param request what to send
     * @param handler reads the answer
     * @return the answer of the node that serves, or of the last one; fails with a {@link ClientException}
     */
    <T> CompletableFuture<HttpResponse<T>> send(ApiRequest request, BodyHandler<T> handler) {
        return attempt(1, request, handler);
    }

    private <T> CompletableFuture<HttpResponse<T>> attempt(int attempt, ApiRequest request, BodyHandler<T> handler) {
        int index = preferred.get();
        URI node = nodes.get(index % nodes.size());
        Duration patience = patience(attempt, request.method());
        HttpRequest.Builder sent = HttpRequest.newBuilder(
                        URI.create(node + request.pathAndQuery() + timeoutOfNode(attempt, request, patience)))
                .timeout(patience)
                .header("Accept", request.pathAndQuery().startsWith("/v0/entities") ? "application/x-ndjson" : "*/*");
        request.apply(sent);
        authorization.ifPresent(value -> sent.header("Authorization", value));
        return http.sendAsync(sent.build(), handler)
                .handle((response, error) -> {
                    boolean elsewhere = error != null || response.statusCode() == 503;
                    if (error != null && AnswerFailures.mayBeDone(error)) {
                        request.unanswered();
                    }
                    if (elsewhere) {
                        // The first call that fails at this node moves on; the others follow and do not skip a node.
                        preferred.compareAndSet(index, (index + 1) % nodes.size());
                        if (attempt < nodes.size() && request.mayBeSentAgain()) {
                            abandon(response);
                            return attempt(attempt + 1, request, handler);
                        }
                    }
                    return error == null
                            ? CompletableFuture.completedFuture(response)
                            : CompletableFuture.<HttpResponse<T>>failedFuture(failures.unreachable(node, error));
                })
                .thenCompose(stage -> stage);
    }

    /**
     * Returns the parameter that lets a node answer in time why a call has failed, if this client waits for a shorter
     * time than a node does by default.
     */
    private String timeoutOfNode(int attempt, ApiRequest request, Duration patience) {
        boolean isCall = request.pathAndQuery().startsWith("/v0/entity?")
                || request.pathAndQuery().startsWith("/v0/atomic");
        // Another node is asked if this one does not answer, but not if it answers that others do not.
        return attempt == nodes.size() && isCall && patience.compareTo(TIMEOUT_OF_NODES) <= 0
                ? "&timeout=" + Math.max(1, patience.toMillis() * 9 / 10)
                : "";
    }

    /** Returns how long to wait for a node. A write is not sent to another one while the first may carry it out. */
    private Duration patience(int attempt, String method) {
        if (attempt == nodes.size() || !method.equals("GET")) {
            return timeout;
        }
        Duration share = timeout.dividedBy(SHARES);
        Duration longEnough = share.compareTo(SHORTEST_SHARE) < 0 ? SHORTEST_SHARE : share;
        return longEnough.compareTo(timeout) < 0 ? longEnough : timeout;
    }

    /** Releases the connection of an answer that is not read. */
    private static void abandon(@Nullable HttpResponse<?> response) {
        if (response != null && response.body() instanceof InputStream body) {
            try {
                body.close();
            } catch (IOException e) {
                // The connection is closed already.
            }
        }
    }
}
