package io.dht4j.spi;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.TraceContext;
import java.util.Optional;

/**
 * Records spans: of the calls of an application, of the requests that they lead to, of what other nodes do for these,
 * and of the operations of their stores. Unlike an {@link Observer}, which receives numbers at the end, it takes part
 * from the beginning: a span has a context, which nodes pass to each other. Neither needs the other.
 *
 * <p>Any number of threads call the methods, event loops among them. The methods must not block. If one throws, the
 * library logs a warning, at most every ten seconds, and the call goes on without the span.
 */
public interface Tracer {

    /**
     * Begins the span of a call of the application.
     *
     * @param call the kind of call
     * @param keys the number of its keys; 0 if it has none, or the number is unknown
     * @param parent the span that the call belongs to; empty for that which is current on this thread
     * @return the span, which is ended once
     */
    Span startCall(Observer.Call call, int keys, Optional<TraceContext> parent);

    /**
     * Begins the span of a request that this node serves for another one.
     *
     * @param request the kind of request
     * @param sender the node that has sent it
     * @param parent the sender's span
     * @return the span, which is ended once
     */
    Span startServed(Observer.Request request, NodeId sender, TraceContext parent);

    /** A span that has begun. Methods are called on any thread, one after the other; the end is the last call. */
    interface Span {

        /**
         * Returns what identifies the span to other processes. Nodes pass it on only if it is sampled, and only a
         * sampled span gets children.
         *
         * @return empty if the span belongs to no trace
         */
        Optional<TraceContext> context();

        /**
         * Sets the hash of the key of a call. By default it is ignored.
         *
         * @param hash the hash by which the key's partition is found
         */
        default void keyHash(long hash) {}

        /**
         * Sets the address of the node that a remote cluster calls, each time that it tries one. By default it is
         * ignored.
         *
         * @param address host and port
         */
        default void serverAddress(String address) {}

        /**
         * Begins the span of a request to another node, as a child of this one.
         *
         * @param node the node
         * @param request the kind of request
         * @return the span, which is ended once, perhaps after this one
         */
        Span startRequest(Node node, Observer.Request request);

        /**
         * Begins the span of an operation of this node's store, as a child of this one.
         *
         * @param request the kind of request that the operation is a part of
         * @param items the keys or entries that the store reads or merges at once, perhaps of other requests too; 0 if
         *     that is unknown
         * @return the span, which is ended once
         */
        Span startStore(Observer.Request request, int items);

        /**
         * Ends the span.
         *
         * @param outcome what the call, the request or the operation has come to
         */
        void end(Observer.Outcome outcome);
    }
}
