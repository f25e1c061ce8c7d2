package io.dht4j.client;

import io.dht4j.CallOptions;
import io.dht4j.NodeStatus;
import io.dht4j.spi.Environment;
import io.dht4j.spi.RemoteApi;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The latest status of a node of a remote cluster. In a cluster whose nodes may change, it is fetched every half a
 * minute, and the addresses that it shows are tried too. Safe for use by any number of threads; nothing blocks.
 */
final class RemoteStatus {

    private static final Logger LOG = LoggerFactory.getLogger(RemoteStatus.class);
    private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final RemoteApi api;
    private final RemoteCalls calls;
    private final RemoteTargets targets;
    private final Environment environment;
    private volatile NodeStatus latest;
    private volatile boolean closed;

    RemoteStatus(RemoteApi api, RemoteCalls calls, RemoteTargets targets, Environment environment, NodeStatus first) {
        this.api = api;
        this.calls = calls;
        this.targets = targets;
        this.environment = environment;
        this.latest = first;
        learn(first);
        if (!first.publicAddresses().isEmpty()) {
            refreshLater();
        }
    }

    NodeStatus latest() {
        return latest;
    }

    CompletionStage<NodeStatus> fetch() {
        return calls.start(RemoteCall.Kind.READ, CallOptions.defaults(), api::status)
                .thenApply(status -> {
                    latest = status;
                    learn(status);
                    return status;
                });
    }

    private void learn(NodeStatus status) {
        String prefix = api.name() + "://";
        List<String> addresses = status.publicAddresses().values().stream()
                .flatMap(List::stream)
                .filter(address -> address.startsWith(prefix))
                .map(address -> address.substring(prefix.length()))
                .sorted()
                .collect(Collectors.toCollection(ArrayList::new));
        // Clients spread over the nodes also where they learn a part of them only.
        for (int left = addresses.size(); left > 1; left--) {
            Collections.swap(addresses, left - 1, environment.random().nextInt(left));
        }
        targets.learn(addresses);
    }

    private void refreshLater() {
        try {
            environment.schedule(this::refresh, REFRESH_NANOS);
        } catch (RuntimeException e) {
            LOG.debug("the client is closed", e);
        }
    }

    private void refresh() {
        if (!closed) {
            fetch().whenComplete((status, error) -> refreshLater());
        }
    }

    /** Ends the refreshes. */
    void close() {
        closed = true;
    }
}
