package io.dht4j.core.internal.repair;

import io.dht4j.Node;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.Entry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The replicas, as repair talks to them. Does not block; safe for use by any number of threads. */
public interface RepairPeers {

    /**
     * Asks another node.
     *
     * @param node which one
     * @param request what
     * @return its reply; or a {@link RepairException}, also when it refused
     */
    CompletableFuture<Reply> ask(Node node, Request request);

    /**
     * Asks another node something that is answered at once or not at all.
     *
     * @param node which one
     * @param request what
     * @param timeout how long its reply is awaited
     * @return its reply; or a {@link RepairException}, also when it refused
     */
    CompletableFuture<Reply> ask(Node node, Request request, Duration timeout);

    /**
     * Merges entries into this node's own store, also such that it would take from nobody else where its disk was set
     * back.
     *
     * @param entries as another node holds them
     * @return completes when they are there; or with a {@link RepairException}
     */
    CompletableFuture<Reply> keep(List<Entry> entries);

    /**
     * Whether a node will most likely not answer.
     *
     * @param node another node
     * @return true if it is suspected
     */
    boolean isSuspected(Node node);
}
