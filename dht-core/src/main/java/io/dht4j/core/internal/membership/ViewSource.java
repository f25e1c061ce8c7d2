package io.dht4j.core.internal.membership;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.core.internal.view.ClusterView;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Fetches newer views. Does not block; safe for use by any number of threads. */
@FunctionalInterface
public interface ViewSource {

    /** The source of a static cluster, which always has one view. */
    ViewSource NONE = (from, epoch) -> CompletableFuture.failedFuture(
            DhtException.of(ErrorCode.STALE_TOPOLOGY, "the nodes of this cluster are fixed by its configuration"));

    /**
     * Fetches a view.
     *
     * @param from a member that has shown a newer epoch
     * @param epoch the epoch of the newest view here
     * @return a newer view, not installed; fails if none is available
     */
    CompletionStage<ClusterView> refresh(NodeId from, long epoch);
}
