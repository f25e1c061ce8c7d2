package io.dht4j.core.internal.repair;

import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.Entry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The replicas that repair works with: the other nodes, and this node's own store. Does not block; safe for use by any
 * number of threads, as are its functions.
 *
 * @param client sends a request to another node
 * @param merger see {@link #apply}
 * @param registers repairs registers
 * @param suspected returns whether another node will probably not answer
 * @param view returns the view of requests
 */
public record RepairPeers(
        Client client, Merger merger, Registers registers, Predicate<Node> suspected, Supplier<ClusterView> view) {

    /** The timeout of a reply: a replica may read much of its store before it can report its sums. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** Sends requests to other nodes. */
    @FunctionalInterface
    public interface Client {

        /**
         * Sends a request to another node.
         *
         * @param view the view of the request; a node with other replicas of its partitions refuses it
         * @param node the node
         * @param request the request
         * @param timeout the time to wait for the reply
         * @return its reply; or a {@link RepairException}, also when the node refuses
         */
        CompletableFuture<Reply> ask(ClusterView view, Node node, Request request, Duration timeout);
    }

    /** Merges entries into this node's own store. */
    @FunctionalInterface
    public interface Merger {

        /**
         * Merges entries.
         *
         * @param view the view of their fetch; they are refused if their partitions have other replicas now
         * @param entries the entries
         * @return completes when they are merged; or with a {@link RepairException}
         */
        CompletableFuture<Reply> merge(ClusterView view, List<Entry> entries);
    }

    /** Repairs registers. */
    @FunctionalInterface
    public interface Registers {

        /**
         * Lets the replicas of a register agree on its chosen state.
         *
         * @param key the key, in the space of registers
         * @return completes once a majority has accepted it, and the other replicas that answer have been asked to;
         *     fails if that has not been reached in time
         */
        CompletableFuture<Void> unify(Key key);
    }

    /**
     * Returns the same replicas, for requests with one view.
     *
     * @param fixed the view
     * @return a copy
     */
    public RepairPeers at(ClusterView fixed) {
        return new RepairPeers(client, merger, registers, suspected, () -> fixed);
    }

    /**
     * Sends a request to another node.
     *
     * @param node the node
     * @param request the request
     * @return its reply; or a {@link RepairException}, also when the node refuses
     */
    public CompletableFuture<Reply> ask(Node node, Request request) {
        return ask(node, request, TIMEOUT);
    }

    /**
     * Sends a request to another node, with a timeout of its own.
     *
     * @param node the node
     * @param request the request
     * @param timeout the time to wait for the reply
     * @return its reply; or a {@link RepairException}, also when the node refuses
     */
    public CompletableFuture<Reply> ask(Node node, Request request, Duration timeout) {
        return client.ask(view.get(), node, request, timeout);
    }

    /**
     * Merges entries into this node's own store. On a rolled-back disk, this accepts entries that are refused in other
     * requests.
     *
     * @param entries the entries, as another node holds them
     * @return completes when they are merged; or with a {@link RepairException}
     */
    public CompletableFuture<Reply> apply(List<Entry> entries) {
        return merger.merge(view.get(), entries);
    }

    /**
     * Lets the replicas of a register agree on its chosen state. See {@link Registers#unify}.
     *
     * @param key the key, in the space of registers
     * @return completes once a majority has accepted it
     */
    public CompletableFuture<Void> unify(Key key) {
        return registers.unify(key);
    }

    /**
     * Returns whether a node will probably not answer.
     *
     * @param node another node
     * @return true if it is suspected
     */
    public boolean isSuspected(Node node) {
        return suspected.test(node);
    }
}
