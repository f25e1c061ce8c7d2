package io.dht4j.spi;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.PeerConnections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Carries opaque frames between nodes. An implementation knows its own listening address and interprets the
 * {@link Node#address()} of the recipients. Safe for use by any number of threads. After a call neither side may change
 * the bytes that were passed or received.
 */
public interface Transport extends AutoCloseable {

    /**
     * Starts to listen, and passes received requests to a handler. Called once, before any other method except
     * {@link #endpoints}. Does not block.
     *
     * @param handler answers requests; called on the transport's own threads, possibly an event loop
     * @return a stage that completes when requests are accepted; fails with a {@link TransportException} whose message
     *     names the address, for example when the port is in use. Fails with the reason
     *     {@link TransportException.Reason#STARTED}, and has no other effect, if the transport was started before and
     *     is open: the caller then does not close it
     */
    CompletionStage<Void> start(FrameHandler handler);

    /**
     * Sends a request to a node and returns its reply. Neither blocks nor throws. The node's handler gets the request
     * at most once. A request that exceeds a bounded queue fails immediately. The transport replaces a connection on
     * which deadlines pass without any answer: after a broken link has healed, calls succeed again within a few
     * deadlines.
     *
     * <p>The stage completes on any thread, including the caller's, by the context's deadline. Failures are
     * {@link TransportException}s. Their {@link TransportException#outcome() outcome} is <i>not sent</i> only if no
     * byte of the request can have reached the node's handler.
     *
     * @param node the recipient
     * @param request the frame, head and body together up to the transport's largest frame
     * @param context deadline and cancellation. The stage fails if it is still incomplete when the deadline passes or
     *     the context is cancelled
     * @return a stage that completes with the reply
     */
    CompletionStage<byte[]> call(Node node, Frame request, CallContext context);

    /**
     * Resolves the endpoints of nodes. Nodes with a common endpoint are considered the same process. A node passes its
     * whole topology: before {@link #start}, and again when others join. Does not block.
     *
     * @param nodes the nodes whose addresses to resolve
     * @return a stage that completes with the endpoints of each node, in the same order; none for a name that cannot be
     *     resolved at present. By default the endpoint is the address itself, and the stage is complete
     */
    default CompletionStage<List<Set<String>>> endpoints(List<Node> nodes) {
        return CompletableFuture.completedFuture(
                nodes.stream().map(node -> Set.of(node.address())).toList());
    }

    /**
     * Closes the connections to a node that is not called any more, since it has left the cluster or has another
     * address, or over which another node has answered. Calls of it that are under way fail. A later call connects
     * again, and looks the host of the address up again, until the node is forgotten again. Other nodes, and other
     * addresses of the same node, are not affected. Does not block, also on the thread that completes a call;
     * connections may be closed soon afterwards.
     *
     * @param node the node with its former address; by default the call is ignored
     */
    default void forget(Node node) {}

    /**
     * Returns the connections over which this node calls others. Does not block.
     *
     * @return for each node that was called, and not forgotten since, what has been counted. By default, and of a
     *     transport that cannot count its connections, no node
     */
    default Map<NodeId, PeerConnections> connections() {
        return Map.of();
    }

    /**
     * Reports that this transport can no longer serve although it was not closed, for example because an event loop has
     * ended.
     *
     * @return a stage that completes with the reason, one line for people, on any thread; by default it never completes
     */
    default CompletionStage<String> failure() {
        return new CompletableFuture<>();
    }

    /**
     * Returns the transport's name for the status.
     *
     * @return for example {@code http}
     */
    String name();

    /**
     * Stops listening, fails all running calls, and releases sockets and threads. Blocks for a bounded time; must not
     * be called on the transport's own threads. May be called repeatedly, also before {@link #start}.
     */
    @Override
    void close();
}
