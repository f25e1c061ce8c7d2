package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.ViewRefresh;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.FencingToken;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Holds the later views of one operation. When a replica refuses a request since its table is newer, the operation
 * fetches a newer view and is planned again, at most {@value #MAX_PLANS} times. Requests of one operation that are
 * refused by several replicas at the same time share one plan. Created at the first refusal, which is rare. Does not
 * block; safe for use by any number of threads.
 */
public final class Replanning {

    /**
     * The maximum number of further plans of an operation. Each follows a later epoch. A node that was away may meet a
     * later one at each replica that it asks, while several batches move. So the maximum allows for more than one
     * round.
     */
    public static final int MAX_PLANS = 16;

    private final ViewRefresh refresh;

    // Guarded by this.
    private ClusterView latest;
    private int plans;

    /**
     * Creates an object without later views.
     *
     * @param refresh fetches newer views
     * @param first the view that the operation has taken at its beginning
     */
    public Replanning(ViewRefresh refresh, ClusterView first) {
        this.refresh = refresh;
        this.latest = first;
    }

    /**
     * Returns whether a replica has refused a request since its table is newer.
     *
     * @param failure the failure of the request
     * @param token the token of the request; null in a static cluster, where no other table can be had
     * @return false for all other failures
     */
    public static boolean isStale(PeerFailure failure, @Nullable FencingToken token) {
        return token != null && failure.code() == ErrorCode.STALE_TOPOLOGY;
    }

    /**
     * Returns a newer view for a refused request.
     *
     * @param refused the token of the refused request
     * @param by the replica that has refused it
     * @param patienceNanos how long that replica is asked for its view
     * @return a newer view than that of the request, which completes on any thread; fails if the operation has been
     *     planned often enough, or no newer view can be had
     */
    public CompletableFuture<ClusterView> after(FencingToken refused, NodeId by, long patienceNanos) {
        long epoch = refused.view().epoch();
        synchronized (this) {
            if (latest.epoch() > epoch) {
                return CompletableFuture.completedFuture(latest);
            }
            if (plans == MAX_PLANS) {
                return CompletableFuture.failedFuture(DhtException.of(
                        ErrorCode.STALE_TOPOLOGY, "the replicas have changed " + MAX_PLANS + " times meanwhile"));
            }
        }
        return refresh.newerThan(epoch, by, patienceNanos).thenApply(this::follow);
    }

    /**
     * Returns whether the operation has been planned often enough, so that no refused request is planned again.
     *
     * @return false while there is a plan left
     */
    public synchronized boolean isExhausted() {
        return plans == MAX_PLANS;
    }

    private synchronized ClusterView follow(ClusterView newer) {
        if (newer.epoch() > latest.epoch()) {
            latest = newer;
            plans++;
        }
        return latest;
    }
}
