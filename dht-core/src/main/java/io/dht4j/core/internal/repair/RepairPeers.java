package io.dht4j.core.internal.repair;

import io.dht4j.Node;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.Entry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Sends the requests of repair to replicas. Does not block; safe for use by any number of threads. */
public interface RepairPeers {

    /**
     * Sends a request to another node.
     *
     * @param node the node
     * @param request the request
     * @return its reply; or a {@link RepairException}, also when the node refuses
     */
    CompletableFuture<Reply> ask(Node node, Request request);

    /**
     * Sends a request to another node, with a timeout of its own.
     *
     * @param node the node
     * @param request the request
     * @param timeout the time to wait for the reply
     * @return its reply; or a {@link RepairException}, also when the node refuses
     */
    CompletableFuture<Reply> ask(Node node, Request request, Duration timeout);

    /**
     * Merges entries into this node's own store. Where its disk is rolled back, entries are accepted that other
     * requests may not bring.
     *
     * @param entries the entries, as another node holds them
     * @return completes when they are merged; or with a {@link RepairException}
     */
    CompletableFuture<Reply> keep(List<Entry> entries);

    /**
     * Returns whether a node will probably not answer.
     *
     * @param node another node
     * @return true if it is suspected
     */
    boolean isSuspected(Node node);
}
