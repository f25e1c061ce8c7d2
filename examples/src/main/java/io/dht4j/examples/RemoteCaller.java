package io.dht4j.examples;

// tag::calls[]
import static java.nio.charset.StandardCharsets.UTF_8;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.IndeterminateException;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.OverloadedException;
import io.dht4j.UnavailableException;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.transport.http.HttpRemote;
import io.dht4j.transport.http.HttpRemoteOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Calls a cluster from a process that stores nothing. */
public final class RemoteCaller {

    /** Writes a user, and shows all users. */
    public static void main(String[] args) {
        List<String> addresses = List.of("127.0.0.1:8081", "127.0.0.1:8082", "127.0.0.1:8083");
        try (Cluster cluster = RemoteCluster.connect(
                HttpRemote.create(HttpRemoteOptions.defaults()), addresses, RemoteOptions.defaults())) {
            addUser(cluster, System.out::println).toCompletableFuture().join();
        } catch (CompletionException | DhtException e) {
            System.err.println(DhtException.unwrap(e).getMessage() + ": " + advice(e));
        }
    }

    static CompletionStage<Void> addUser(Cluster cluster, Consumer<String> shown) {
        CallOptions options =
                CallOptions.defaults().withTimeout(Duration.ofSeconds(5)).withTimeToLive(Duration.ofMinutes(30));
        return cluster.put(Key.of("user:7"), "Ada".getBytes(UTF_8), options)
                .thenCompose(version -> cluster.scan(KeyRange.between(Key.of("user:"), Key.of("user;")))
                        .forEach(entry ->
                                shown.accept(entry.key() + "=" + entry.value().text())));
    }

    /** Returns what to do about a write that ended with an error. */
    static String advice(Throwable error) {
        Throwable cause = DhtException.unwrap(error);
        if (cause instanceof InvalidRequestException invalid) {
            return "fix the request: " + invalid.code();
        }
        if (cause instanceof UnavailableException) {
            return "nothing has changed: repeat here or on another node";
        }
        if (cause instanceof IndeterminateException) {
            return "the write may have happened: repeat the same write";
        }
        if (cause instanceof OverloadedException) {
            return "nothing has changed: wait, then repeat";
        }
        return "not an error of the cluster";
    }
}
// end::calls[]
