package io.dht4j;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** The membership of a static cluster: refuses every change. */
final class FixedMembership implements ClusterMembership {

    static final ClusterMembership INSTANCE = new FixedMembership();

    private FixedMembership() {}

    private static <T> CompletionStage<T> refused() {
        return CompletableFuture.failedFuture(new InvalidRequestException(
                ErrorCode.BAD_REQUEST,
                "the nodes of this cluster are fixed by its configuration: start all of them with"
                        + " Membership.bootstrap in place of a Topology to let them change"));
    }

    @Override
    public CompletionStage<MembershipStatus> status() {
        return refused();
    }

    @Override
    public CompletionStage<RebalancePlan> plan() {
        return refused();
    }

    @Override
    public CompletionStage<Long> change(MembershipChange change) {
        return refused();
    }

    @Override
    public Subscription listen(Consumer<MembershipEvent> listener) {
        return () -> {};
    }
}
