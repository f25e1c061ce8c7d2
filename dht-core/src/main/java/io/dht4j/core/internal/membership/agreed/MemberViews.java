package io.dht4j.core.internal.membership.agreed;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.ViewSource;
import io.dht4j.core.internal.membership.agreed.distribution.InstalledState;
import io.dht4j.core.internal.membership.agreed.distribution.StatePulls;
import io.dht4j.core.internal.view.ClusterView;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Fetches the states of members, as views. */
final class MemberViews implements ViewSource {

    private final InstalledState installed;
    private final StatePulls pulls;

    MemberViews(InstalledState installed, StatePulls pulls) {
        this.installed = installed;
        this.pulls = pulls;
    }

    @Override
    public CompletionStage<ClusterView> refresh(NodeId from, long epoch) {
        return installed.state().stream()
                .flatMap(state -> state.members().named(from).stream())
                .flatMap(member -> MemberDirectory.node(member).stream())
                .findFirst()
                .or(pulls::any)
                .map(node -> pulls.from(node)
                        .thenApply(state ->
                                installed.current().orElseThrow().views().current()))
                .orElseGet(() -> CompletableFuture.failedFuture(
                        DhtException.of(ErrorCode.STALE_TOPOLOGY, "this node knows no other member")));
    }
}
