package io.dht4j.transport.common.calls;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.PeerConnections;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Holds the calls of a node to all its peers. The lanes to a peer are created with the first call to it, and share one
 * budget. Safe for use by any number of threads; only {@link #end} blocks.
 */
public final class PeerCalls {

    /** The end of every call that is made or waits when the transport closes. */
    public static final String CLOSED = "the transport is closed";

    private static final String FORGOTTEN =
            "its connections are closed: it has left the cluster, or is not at this address";

    private final Supplier<CallBudget> budgets;
    private final LaneFactory factory;
    private final Map<Node, Peer> peers = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** Creates the lanes to peers. */
    @FunctionalInterface
    public interface LaneFactory {

        /**
         * Creates lanes that have no connection yet.
         *
         * @param peer the peer
         * @param budget the budget that all lanes to it share
         * @return the lanes, one or more
         */
        List<? extends PeerLane> create(Node peer, CallBudget budget);
    }

    private record Peer(CallBudget budget, List<? extends PeerLane> lanes) {

        /** Returns the lane on the caller's own event loop, which saves a hop; any lane if the caller is on no loop. */
        PeerLane choose() {
            if (lanes.size() == 1) {
                return lanes.get(0);
            }
            for (PeerLane lane : lanes) {
                if (lane.isCurrent()) {
                    return lane;
                }
            }
            return lanes.get(ThreadLocalRandom.current().nextInt(lanes.size()));
        }
    }

    /**
     * Creates calls without peers.
     *
     * @param budgets creates each peer's budget
     * @param factory creates its lanes
     */
    public PeerCalls(Supplier<CallBudget> budgets, LaneFactory factory) {
        this.budgets = budgets;
        this.factory = factory;
    }

    /**
     * Calls a peer. Neither blocks nor throws.
     *
     * @param peer the peer
     * @param request a frame within the limit
     * @param context the call's context, whose cancellation ends the call
     * @param remainingNanos the positive time until the deadline
     * @return completes with the reply, or with an exception that states whether the request was sent
     */
    public CompletableFuture<byte[]> call(Node peer, Frame request, CallContext context, long remainingNanos) {
        Peer called = peers.get(peer);
        if (called == null) {
            called = peers.computeIfAbsent(peer, this::newPeer);
        }
        PeerLane lane = called.choose();
        // Before it is counted: its creation may fail for lack of memory.
        PeerCall call = new PeerCall(lane, request, System.nanoTime() + remainingNanos);
        boolean fits = called.budget.enter(request.length());
        // Closing sets its mark first and then waits for the counted calls. This method counts first and then checks
        // the mark.
        if (closed) {
            call.abandon(CLOSED);
        } else if (!fits) {
            call.noRoom(called.budget.exceeded(request.length()));
        } else {
            lane.offer(call, context);
        }
        return call;
    }

    private Peer newPeer(Node node) {
        CallBudget budget = budgets.get();
        return new Peer(budget, factory.create(node, budget));
    }

    /**
     * Returns the connections to each peer.
     *
     * @return by the names of the peers
     */
    public Map<NodeId, PeerConnections> connections() {
        Map<NodeId, PeerConnections> counts = new HashMap<>();
        peers.forEach((node, peer) ->
                counts.merge(node.id(), peer.budget.connections().counts(), ConnectionCount::sum));
        return counts;
    }

    /**
     * Ends all calls to a peer, and its connections. A later call makes new ones. Does not block.
     *
     * @param peer the peer
     */
    public void forget(Node peer) {
        // Its weight may have changed.
        List<Node> same = peers.keySet().stream()
                .filter(known -> known.id().equals(peer.id()) && known.address().equals(peer.address()))
                .toList();
        for (Node known : same) {
            Peer forgotten = peers.remove(known);
            if (forgotten != null) {
                // Calls that choose a lane just now are ended by it.
                forgotten.lanes.forEach(lane -> lane.close(FORGOTTEN));
            }
        }
    }

    /**
     * Ends all calls and those that come later, and waits for them; without event loops, none would end.
     *
     * @param until when to return at the latest, by {@link System#nanoTime()}
     * @return false if some calls have not ended by then
     */
    public boolean end(long until) {
        closed = true;
        while (true) {
            // Repeated: a call that began before the mark was set may have come to a new peer or lane.
            boolean unused = true;
            for (Peer peer : peers.values()) {
                peer.lanes.forEach(lane -> lane.close(CLOSED));
                unused &= peer.budget.isUnused();
            }
            if (unused) {
                return true;
            }
            if (System.nanoTime() - until > 0) {
                return false;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }
}
