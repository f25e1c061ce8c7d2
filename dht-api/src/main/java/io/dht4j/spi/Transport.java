package io.dht4j.spi;

import io.dht4j.Node;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Carries opaque frames between nodes. An implementation knows its own listening address; it interprets
 * {@link Node#address()} of the nodes it calls. Safe for use by any number of threads. Bytes handed to it or received
 * from it must not be changed afterwards by either side.
 */
public interface Transport extends AutoCloseable {

    /**
     * Starts to listen and to hand received requests to a handler. Called once, before any other method. Does not
     * block.
     *
     * @param handler answers requests; called on the transport's own threads, an event loop possibly
     * @return completes when requests are accepted; fails with a {@link TransportException} whose message names the
     *     address, for example when the port is busy
     */
    CompletionStage<Void> start(FrameHandler handler);

    /**
     * Sends a request to a node and brings its reply. Neither blocks nor throws. What cannot be sent for lack of room
     * in a bounded queue fails at once. A connection on which deadlines pass in silence is not trusted for long: when a
     * link that was cut has healed, calls are answered again after a few of their deadlines.
     *
     * @param node whom to ask
     * @param request the frame, head and body together up to the transport's largest frame
     * @param context deadline and cancellation. When the deadline passes or the context is cancelled, the stage fails
     *     if it is not yet complete
     * @return completes with the reply, on any thread (that of the caller included), by the context's deadline; fails
     *     with a {@link TransportException}, whose {@link TransportException#outcome() outcome} says <i>not sent</i>
     *     only if no byte of the request can have reached the node's handler
     */
    CompletionStage<byte[]> call(Node node, Frame request, CallContext context);

    /**
     * Looks up which endpoints the addresses of nodes stand for: two nodes that have one in common are taken for the
     * same process. Does not block.
     *
     * @param nodes whose addresses to look up
     * @return completes with the endpoints of each node, in the same order, none for a name that cannot be resolved at
     *     the moment. By default an endpoint is the address itself, and the stage is complete
     */
    default CompletionStage<List<Set<String>>> endpoints(List<Node> nodes) {
        return CompletableFuture.completedFuture(
                nodes.stream().map(node -> Set.of(node.address())).toList());
    }

    /**
     * Reports that this transport can no longer serve although nobody has closed it, since an event loop has ended for
     * example.
     *
     * @return completes with the reason, one line for people, on any thread; by default never
     */
    default CompletionStage<String> failure() {
        return new CompletableFuture<>();
    }

    /**
     * The transport's name, as status shows it.
     *
     * @return for example {@code http}
     */
    String name();

    /**
     * Stops listening, fails calls under way (each of them completes), and releases sockets and threads. Blocks, for a
     * bounded time; must not be called on the transport's own threads. May be called repeatedly, before {@link #start}
     * too.
     */
    @Override
    void close();
}
