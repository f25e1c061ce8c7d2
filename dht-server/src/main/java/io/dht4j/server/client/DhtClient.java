package io.dht4j.server.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.DhtException;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.RequestId;
import io.dht4j.ScanScope;
import io.dht4j.Version;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;

/**
 * A client of the public HTTP API. It knows several nodes, and moves on to the next one when one is unreachable or
 * reports that it does not serve; every request of the API may be repeated, one for an atomic key with its id. Safe for
 * use by any number of threads.
 *
 * <p>A command is a process of its own, so its start counts. This client is on {@link HttpClient}: with
 * {@code RemoteCluster} over HTTP, which starts Vert.x, {@code dht get} takes some 0.2 s more processor time, of 0.5 s.
 *
 * <p>Stages fail with a {@link ClientException}.
 */
public final class DhtClient {

    private static final int MAX_PROBLEM_BYTES = 64 << 10;
    /** The largest answer: a status lists each node and each partition. */
    private static final int MAX_ANSWER_BYTES = 64 << 20;
    /**
     * The largest value: the largest that a node may be configured for, or less with a small heap, because it is held
     * twice while it arrives or is read from a file.
     */
    public static final int MAX_VALUE_BYTES =
            (int) Math.min(512 << 20, Runtime.getRuntime().maxMemory() / 4);

    private final NodeRequests requests;
    private final AtomicRequests atomics;

    /**
     * Creates an anonymous client.
     *
     * @param nodes base URLs of one node or more
     * @param timeout how long to wait for an answer's head
     */
    public DhtClient(List<URI> nodes, Duration timeout) {
        this(nodes, timeout, Access.ofAnyone());
    }

    /**
     * Creates a client.
     *
     * @param nodes base URLs of one node or more
     * @param timeout how long to wait for an answer's head
     * @param access its credentials and the authorities that it trusts; its token goes to every one of the nodes
     */
    public DhtClient(List<URI> nodes, Duration timeout, Access access) {
        this.requests = new NodeRequests(nodes, timeout, access);
        this.atomics = new AtomicRequests(requests);
    }

    /**
     * Reads a key.
     *
     * @param key the key
     * @param policy how many replicas must answer
     * @return completes with the value, or empty if the key is absent
     */
    public CompletableFuture<Optional<byte[]>> get(Key key, AskedPolicy policy) {
        return requests.send("GET", entity(key, policy), BodyPublishers.noBody(), BoundedBody.atMost(MAX_VALUE_BYTES))
                .thenApply(response -> switch (response.statusCode()) {
                    case 200 -> Optional.of(response.body());
                    case 404 -> Optional.empty();
                    default -> throw new CompletionException(AnswerFailures.refused(response, response.body()));
                });
    }

    /**
     * Writes a key.
     *
     * @param key the key
     * @param value its value
     * @param policy how many replicas must answer
     * @param ttlMillis how long it stays readable; empty for no limit
     * @return completes when it is written
     */
    public CompletableFuture<Void> put(Key key, byte[] value, AskedPolicy policy, OptionalLong ttlMillis) {
        String ttl = ttlMillis.isPresent() ? "&ttl=" + ttlMillis.getAsLong() : "";
        return write(201, new ApiRequest("PUT", entity(key, policy) + ttl, BodyPublishers.ofByteArray(value)));
    }

    private CompletableFuture<Void> write(int status, ApiRequest request) {
        CompletableFuture<HttpResponse<byte[]>> answer = requests.send(request, BoundedBody.atMost(MAX_ANSWER_BYTES))
                .exceptionallyCompose(error -> CompletableFuture.failedFuture(
                        DhtException.unwrap(error) instanceof ClientException failure && request.mayBeDone()
                                ? failure.with("the write may take effect or not: repeat it")
                                : DhtException.unwrap(error)));
        return expect(status, answer);
    }

    /**
     * Deletes a key, absent or not.
     *
     * @param key the key
     * @param policy how many replicas must answer
     * @return completes when it is deleted
     */
    public CompletableFuture<Void> delete(Key key, AskedPolicy policy) {
        return write(202, new ApiRequest("DELETE", entity(key, policy)));
    }

    /**
     * Executes an operation on a key of an atomic map, once, also if several nodes are tried.
     *
     * @param map the name of the map
     * @param key the key
     * @param change what to do: to read, put, remove or add
     * @param id the id of an operation that may have been attempted before; empty for a new one
     * @return completes with what it has come to, also if its condition did not hold. After a failure,
     *     {@link ClientException#isOutcomeUnknown} says whether it may have been executed
     */
    public CompletableFuture<AtomicResult> execute(String map, Key key, AtomicChange change, Optional<RequestId> id) {
        return atomics.execute(map, key, change, id);
    }

    /**
     * Asks the first node that answers for its status.
     *
     * @return completes with the status
     */
    public CompletableFuture<JsonNode> status() {
        return askJson("GET", "/v0/status");
    }

    /**
     * Asks the first node that answers to count for some time for which keys it is asked most. The timeout of this
     * client must be longer.
     *
     * @param duration for how long
     * @param count the most keys of each ranking
     * @return completes at the end of the count
     */
    public CompletableFuture<JsonNode> hotKeys(Duration duration, int count) {
        return askJson("GET", "/v0/hot-keys?duration=" + duration.toMillis() + "&count=" + count);
    }

    /**
     * Asks the first node that answers for the progress of its repair.
     *
     * @return completes with the progress
     */
    public CompletableFuture<JsonNode> repairStatus() {
        return askJson("GET", "/v0/repair");
    }

    /**
     * Asks the first node that answers to begin a repair session.
     *
     * @param partitions which ones; none for all that it is a replica of
     * @return completes with its state at the beginning
     */
    public CompletableFuture<JsonNode> repair(List<Integer> partitions) {
        String chosen = partitions.stream().map(String::valueOf).collect(Collectors.joining(","));
        return askJson("POST", chosen.isEmpty() ? "/v0/repair" : "/v0/repair?partition=" + chosen);
    }

    /**
     * Asks the first node that answers for its slow calls.
     *
     * @return completes with the calls
     */
    public CompletableFuture<JsonNode> slowCalls() {
        return askJson("GET", "/v0/slow-calls");
    }

    /**
     * Asks the first node that answers for the nodes of the cluster, the running moves and the metadata.
     *
     * @return completes with the status
     */
    public CompletableFuture<JsonNode> nodes() {
        return askJson("GET", "/v0/nodes");
    }

    /**
     * Asks the first node that answers for a change of the nodes. A change may be repeated.
     *
     * @param change the parameters of the API
     * @return completes with the epoch of the change
     */
    public CompletableFuture<JsonNode> changeNodes(Map<String, String> change) {
        return askJson("POST", "/v0/nodes?" + query(change));
    }

    /**
     * Asks the first node that answers for the moves of a rebalance.
     *
     * @return completes with the plan
     */
    public CompletableFuture<JsonNode> plan() {
        return askJson("GET", "/v0/rebalance");
    }

    /**
     * Asks the first node that answers for a change of how partitions move. A change may be repeated.
     *
     * @param change the parameters of the API
     * @return completes with the epoch of the change
     */
    public CompletableFuture<JsonNode> changeRebalance(Map<String, String> change) {
        return askJson("POST", "/v0/rebalance?" + query(change));
    }

    private static String query(Map<String, String> parameters) {
        return parameters.entrySet().stream()
                .map(each -> each.getKey() + "=" + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
    }

    private CompletableFuture<JsonNode> askJson(String method, String path) {
        return requests.send(method, path, BodyPublishers.noBody(), BoundedBody.atMost(MAX_ANSWER_BYTES))
                .thenApply(response -> {
                    if (response.statusCode() != 200) {
                        throw new CompletionException(AnswerFailures.refused(response, response.body()));
                    }
                    return AnswerFailures.json(response.body())
                            .orElseThrow(
                                    () -> new CompletionException(new ClientException(AnswerFailures.origin(response)
                                            + " is not a node of a cluster: its answer is not JSON")));
                });
    }

    /**
     * Starts a scan. Blocks until the answer's head is there.
     *
     * @param range the keys to show
     * @param limit the most entries; empty for all
     * @param scope the whole cluster's entries or the node's own
     * @return the entries as lines of {@link ItemFormat#NDJSON}, to be closed; reading fails if the node fails in the
     *     middle
     * @throws ClientException if the node refuses or none can be reached
     */
    public InputStream scan(KeyRange range, OptionalLong limit, ScanScope scope) throws ClientException {
        StringBuilder path = entities(range);
        limit.ifPresent(n -> path.append("&limit=").append(n));
        path.append("&scope=").append(scope.name().toLowerCase(Locale.ROOT));
        return entries(path.toString());
    }

    /**
     * Begins a snapshot.
     *
     * @param policy how many replicas of each key must take part
     * @return completes with its version
     */
    public CompletableFuture<Version> openSnapshot(AskedPolicy policy) {
        String query = policy.query().replaceFirst("&", "?");
        return requests.send(
                        "POST", "/v0/snapshots" + query, BodyPublishers.noBody(), BoundedBody.atMost(MAX_ANSWER_BYTES))
                .thenApply(response -> {
                    if (response.statusCode() != 201) {
                        throw new CompletionException(AnswerFailures.refused(response, response.body()));
                    }
                    return version(response)
                            .orElseThrow(
                                    () -> new CompletionException(new ClientException(AnswerFailures.origin(response)
                                            + " is not a node of a cluster: its answer has no version")));
                });
    }

    static Optional<Version> version(HttpResponse<?> response) {
        try {
            return response.headers().firstValue("Dht-Version").map(text -> new Version(Long.parseUnsignedLong(text)));
        } catch (NumberFormatException e) {
            return Optional.empty(); // Some other server.
        }
    }

    /**
     * Starts a scan of a snapshot. Blocks until the answer's head is there.
     *
     * @param snapshot the snapshot's version
     * @param range the keys to show
     * @param policy how many replicas of each key must return it
     * @return as {@link #scan} does
     * @throws ClientException if the node refuses or none can be reached
     */
    public InputStream scanSnapshot(Version snapshot, KeyRange range, AskedPolicy policy) throws ClientException {
        return entries(entities(range) + "&snapshot=" + snapshot + policy.query());
    }

    /**
     * Ends a snapshot.
     *
     * @param snapshot its version
     * @return completes when the nodes that answer have removed it
     */
    public CompletableFuture<Void> closeSnapshot(Version snapshot) {
        return expect(
                202,
                requests.send(
                        "DELETE",
                        "/v0/snapshots?snapshot=" + snapshot,
                        BodyPublishers.noBody(),
                        BoundedBody.atMost(MAX_ANSWER_BYTES)));
    }

    private static StringBuilder entities(KeyRange range) {
        StringBuilder path = new StringBuilder("/v0/entities?start=").append(QueryEncoding.encode(range.start()));
        range.end().ifPresent(end -> path.append("&end=").append(QueryEncoding.encode(end)));
        return path;
    }

    private InputStream entries(String path) throws ClientException {
        HttpResponse<InputStream> response =
                await(requests.send("GET", path, BodyPublishers.noBody(), BodyHandlers.ofInputStream()));
        if (response.statusCode() == 200) {
            return response.body();
        }
        try (InputStream body = response.body()) {
            throw AnswerFailures.refused(response, body.readNBytes(MAX_PROBLEM_BYTES));
        } catch (IOException e) {
            throw new ClientException(AnswerFailures.origin(response) + ": " + e.getMessage());
        }
    }

    /**
     * Waits for a stage of this client.
     *
     * @param <T> its result
     * @param stage the stage
     * @return the result
     * @throws ClientException if it failed, or the waiting was interrupted
     */
    public static <T> T await(CompletableFuture<T> stage) throws ClientException {
        try {
            return stage.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClientException("interrupted");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ClientException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    private static String entity(Key key, AskedPolicy policy) {
        return "/v0/entity?" + QueryEncoding.id(key) + policy.query();
    }

    private static CompletableFuture<Void> expect(int status, CompletableFuture<HttpResponse<byte[]>> stage) {
        return stage.thenApply(response -> {
            if (response.statusCode() != status) {
                throw new CompletionException(AnswerFailures.refused(response, response.body()));
            }
            return null;
        });
    }
}
