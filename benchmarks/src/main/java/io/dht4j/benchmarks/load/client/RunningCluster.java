package io.dht4j.benchmarks.load.client;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.NodeId;
import io.dht4j.NodeStatus;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/**
 * A cluster that others started, through its public API: whether its nodes answer, and which keys of a prefix it holds.
 * It touches no other key. Confined to one thread.
 */
public final class RunningCluster implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(15);
    /** How long no key may be deleted before the rest of the keys is left to the cluster. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final long RETRY_MILLIS = 500;
    private static final int PAGE = 500;
    private static final Pattern HUNG_UP = Pattern.compile("\\b(closed|reset)\\b", Pattern.CASE_INSENSITIVE);

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
     * Asks each node for its status. Blocks for at most half a minute for each.
     *
     * @throws IOException if one does not answer, or if two addresses are of the same node; the message names them
     * @throws InterruptedException if the thread is interrupted
     */
    public void requireReachable() throws IOException, InterruptedException {
        Map<NodeId, String> nodes = new HashMap<>();
        for (String address : spec.addresses()) {
            NodeStatus status = status(address);
            String other = nodes.putIfAbsent(status.id(), address);
            if (other != null) { // one node would get more of the load than the others
                throw new IOException(other + " and " + address + " are the same node, " + status.id());
            }
        }
    }

    private NodeStatus status(String address) throws IOException, InterruptedException {
        try {
            return await(api.status(address, options));
        } catch (IOException e) {
            throw new IOException(
                    "no status of the node at " + address + " over " + api.name() + ": " + why(address, e), e);
        }
    }

    /**
     * Returns the reason without the address, and the probable error in an address whose node closes the connection.
     */
    private String why(String address, IOException e) {
        String why = String.valueOf(e.getMessage())
                .replaceFirst(
                        "^(node at )?" + Pattern.quote(address) + ": (outcome unknown: |nothing was sent: )?", "");
        if (!HUNG_UP.matcher(why).find()) {
            return why;
        }
        boolean isPlain = spec.access().authorities().equals(ApiAccess.NONE);
        return why + "; " + (isPlain ? "does it need --tls-ca, or " : "") + "is it the port of another API?";
    }

    /**
     * Returns the first key that begins with the prefix. Blocks.
     *
     * @return the key, as text; empty if there is none
     * @throws IOException if the cluster does not answer
     * @throws InterruptedException if the thread is interrupted
     */
    public Optional<String> firstKey() throws IOException, InterruptedException {
        return page(1, spec.addresses().get(0)).stream()
                .findFirst()
                .map(entry -> PrintableText.of(entry.key().toString(), 100));
    }

    /**
     * Deletes all keys that begin with the prefix. Blocks. A node that fails is left out: the others delete its share.
     * When all have failed, all are tried again after a pause.
     *
     * @return their number
     * @throws IOException if all nodes failed, and no key was deleted for half a minute; some keys remain then
     * @throws InterruptedException if the thread is interrupted; some keys remain then
     */
    public long deleteKeys() throws IOException, InterruptedException {
        List<String> nodes = new ArrayList<>(spec.addresses());
        long deleted = 0;
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            Deletes deletes = deletePage(nodes);
            if (deletes.found() == 0 && deletes.failures().isEmpty()) {
                return deleted;
            }
            if (deletes.succeeded() > 0) {
                deleted += deletes.succeeded();
                end = System.nanoTime() + PATIENCE.toNanos();
            }
            nodes.removeAll(deletes.failures().keySet());
            if (nodes.isEmpty()) {
                if (System.nanoTime() - end >= 0) {
                    throw deletes.failures().values().iterator().next();
                }
                TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
                nodes.addAll(spec.addresses());
            }
        }
    }

    /** The outcome of a page of keys, with a failure of each node that failed. */
    private record Deletes(int found, int succeeded, Map<String, IOException> failures) {}

    private Deletes deletePage(List<String> nodes) throws InterruptedException {
        List<KeyValue> page;
        try {
            page = page(PAGE, nodes.get(0));
        } catch (IOException e) {
            return new Deletes(0, 0, Map.of(nodes.get(0), e));
        }
        List<CompletionStage<?>> begun = new ArrayList<>();
        for (KeyValue entry : page) {
            begun.add(api.delete(nodes.get(begun.size() % nodes.size()), entry.key(), options));
        }
        int succeeded = 0;
        Map<String, IOException> failures = new HashMap<>();
        for (int i = 0; i < begun.size(); i++) {
            try {
                await(begun.get(i));
                succeeded++;
            } catch (IOException e) {
                failures.put(nodes.get(i % nodes.size()), e);
            }
        }
        return new Deletes(page.size(), succeeded, failures);
    }

    private List<KeyValue> page(int limit, String address) throws IOException, InterruptedException {
        String prefix = spec.keyPrefix();
        // The prefix ends before the next character after its last one.
        String end = prefix.substring(0, prefix.length() - 1) + (char) (prefix.charAt(prefix.length() - 1) + 1);
        KeyRange range = KeyRange.between(Key.of(prefix), Key.of(end));
        return await(api.scan(address, range, ScanScope.CLUSTER, limit, options));
    }

    private static <T> T await(CompletionStage<T> stage) throws IOException, InterruptedException {
        try {
            return stage.toCompletableFuture().get(2 * TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = DhtException.unwrap(e.getCause() == null ? e : e.getCause());
            throw new IOException(String.valueOf(cause.getMessage()), cause);
        } catch (TimeoutException e) {
            throw new IOException("no answer within " + 2 * TIMEOUT.toSeconds() + " s", e);
        }
    }

    @Override
    public void close() {
        api.close();
    }
}
