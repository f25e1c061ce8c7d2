package io.dht4j.benchmarks.load.client;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.PrintableText;
import io.dht4j.ScanScope;
import io.dht4j.spi.RemoteApi;
import io.dht4j.transport.grpc.api.GrpcRemote;
import io.dht4j.transport.grpc.api.GrpcRemoteOptions;
import io.dht4j.transport.http.HttpRemote;
import io.dht4j.transport.http.HttpRemoteOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A cluster that others started, through its public API: whether its nodes answer, and which keys of a prefix it holds.
 * It touches no other key. Confined to one thread.
 */
public final class RunningCluster implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final int PAGE = 500;

    private final ClientSpec spec;
    private final RemoteApi api;
    private final CallOptions options = CallOptions.defaults().withTimeout(TIMEOUT);

    /**
     * Opens a client. Blocks while it reads the files of its access.
     *
     * @param spec the API, the addresses, the access, and the prefix of the keys, which is not empty
     * @throws IllegalArgumentException if a file is invalid
     */
    public RunningCluster(ClientSpec spec) {
        if (spec.keyPrefix().isEmpty()) {
            throw new IllegalArgumentException("a load on a running cluster needs a prefix of its keys");
        }
        this.spec = spec;
        this.api = switch (spec.api()) {
            case HTTP -> HttpRemote.create(spec.access().applyTo(HttpRemoteOptions.defaults()));
            case GRPC -> GrpcRemote.create(spec.access().applyTo(GrpcRemoteOptions.defaults()));
            case EMBEDDED -> throw new IllegalArgumentException("no client reaches an embedded cluster");
        };
    }

    /**
     * Asks each node for its status. Blocks for at most some seconds for each.
     *
     * @throws IOException if one does not answer; the message names it
     * @throws InterruptedException if the thread is interrupted
     */
    public void requireReachable() throws IOException, InterruptedException {
        for (String address : spec.addresses()) {
            await(api.status(address, options), "no node answers at " + address + " over " + api.name());
        }
    }

    /**
     * Returns the first key that begins with the prefix. Blocks.
     *
     * @return the key, as text; empty if there is none
     * @throws IOException if the cluster does not answer
     * @throws InterruptedException if the thread is interrupted
     */
    public Optional<String> firstKey() throws IOException, InterruptedException {
        return page(1).stream()
                .findFirst()
                .map(entry -> PrintableText.of(entry.key().toString(), 100));
    }

    /**
     * Deletes all keys that begin with the prefix. Blocks.
     *
     * @return their number
     * @throws IOException if the cluster does not answer; some keys remain then
     * @throws InterruptedException if the thread is interrupted; some keys remain then
     */
    public long deleteKeys() throws IOException, InterruptedException {
        long deleted = 0;
        for (List<KeyValue> page = page(PAGE); !page.isEmpty(); page = page(PAGE)) {
            List<CompletableFuture<?>> deletes = new ArrayList<>();
            for (KeyValue entry : page) {
                deletes.add(api.delete(address(deletes.size()), entry.key(), options)
                        .toCompletableFuture());
            }
            for (CompletableFuture<?> delete : deletes) {
                await(delete, "deleting the keys that begin with " + spec.keyPrefix());
            }
            deleted += page.size();
        }
        return deleted;
    }

    private List<KeyValue> page(int limit) throws IOException, InterruptedException {
        String prefix = spec.keyPrefix();
        // The prefix ends before the next character after its last one.
        String end = prefix.substring(0, prefix.length() - 1) + (char) (prefix.charAt(prefix.length() - 1) + 1);
        KeyRange range = KeyRange.between(Key.of(prefix), Key.of(end));
        return await(
                api.scan(address(0), range, ScanScope.CLUSTER, limit, options),
                "scanning the keys that begin with " + prefix);
    }

    private String address(int turn) {
        return spec.addresses().get(turn % spec.addresses().size());
    }

    private static <T> T await(CompletionStage<T> stage, String what) throws IOException, InterruptedException {
        try {
            return stage.toCompletableFuture().get(2 * TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = DhtException.unwrap(e.getCause() == null ? e : e.getCause());
            throw new IOException(what + ": " + cause.getMessage(), cause);
        } catch (TimeoutException e) {
            throw new IOException(what + ": no answer within " + 2 * TIMEOUT.toSeconds() + " s", e);
        }
    }

    @Override
    public void close() {
        api.close();
    }
}
