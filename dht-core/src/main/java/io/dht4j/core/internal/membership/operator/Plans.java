package io.dht4j.core.internal.membership.operator;

import io.dht4j.ErrorCode;
import io.dht4j.UnavailableException;
import io.dht4j.core.internal.membership.plan.Plan;
import io.dht4j.core.internal.membership.plan.Planner;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.spi.Placement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Caches the plan of the newest state that was requested. Planning takes up to a second, on a store thread. */
final class Plans {

    private final Placement placement;
    private final Executor executor;

    // Guarded by this.
    private long epoch;
    private @Nullable CompletableFuture<Plan> newest;

    Plans(Placement placement, Executor executor) {
        this.placement = placement;
        this.executor = executor;
    }

    /** Returns the planned moves of a state. */
    CompletableFuture<Plan> of(ClusterState state) {
        CompletableFuture<Plan> plan = new CompletableFuture<>();
        synchronized (this) {
            if (newest != null && epoch == state.epoch()) {
                return newest.copy();
            }
            epoch = state.epoch();
            newest = plan;
        }
        make(state, plan);
        return plan.copy();
    }

    /** Returns the planned moves of a state that is not agreed. */
    CompletableFuture<Plan> ofAssumed(ClusterState state) {
        CompletableFuture<Plan> plan = new CompletableFuture<>();
        make(state, plan);
        return plan;
    }

    private void make(ClusterState state, CompletableFuture<Plan> plan) {
        try {
            executor.execute(() -> {
                try {
                    plan.complete(Planner.plan(state, placement));
                } catch (RuntimeException | Error e) {
                    fail(plan, e);
                }
            });
        } catch (RejectedExecutionException e) {
            fail(plan, new UnavailableException(ErrorCode.NOT_SERVING, "this node is closed"));
        }
    }

    /** Fails, and forgets the plan, so that the next caller gets a new one. */
    private void fail(CompletableFuture<Plan> plan, Throwable why) {
        synchronized (this) {
            if (newest == plan) {
                newest = null;
            }
        }
        plan.completeExceptionally(why);
    }
}
