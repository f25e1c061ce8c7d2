package io.dht4j.core.internal.membership.agreed;

import io.dht4j.core.internal.membership.agreed.peer.MembershipRequestSender;
import io.dht4j.core.internal.membership.codec.CommandCodec;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.driver.Driver;
import io.dht4j.core.internal.membership.plan.Plan;
import io.dht4j.core.internal.membership.plan.Planner;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.wire.MembershipReply.Appended;
import io.dht4j.core.internal.wire.MembershipReply.Reported;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.Placement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The cluster on which the driver of a node acts. Safe for use by any number of threads. */
final class DrivenCluster implements Driver.Cluster {

    private static final Duration APPEND_TIMEOUT = Duration.ofSeconds(10);

    /** A new voter must receive the log first, and may be slow. */
    private static final Duration CHANGE_TIMEOUT = Duration.ofSeconds(60);

    private final LogMember log;
    private final NodeReports reports;
    private final MembershipRequestSender requests;
    private final Placement placement;

    DrivenCluster(LogMember log, NodeReports reports, MembershipRequestSender requests, Placement placement) {
        this.log = log;
        this.reports = reports;
        this.requests = requests;
        this.placement = placement;
    }

    @Override
    public boolean leads() {
        return log.leads();
    }

    @Override
    public List<NodeRef> log() {
        return log.current().map(open -> open.log().members()).orElse(List.of());
    }

    @Override
    public Optional<ClusterState> state() {
        return log.state();
    }

    @Override
    public CompletableFuture<Reported> report(Member member) {
        return reports.report(log.state().orElseThrow(), member);
    }

    @Override
    public CompletableFuture<Appended> append(Command command) {
        return log.commands.appendHere(CommandCodec.encode(command), requests.context(APPEND_TIMEOUT));
    }

    @Override
    public CompletableFuture<Void> changeLog(List<NodeRef> members) {
        return log.current()
                .map(open -> open.log()
                        .changeMembers(members, requests.context(CHANGE_TIMEOUT))
                        .toCompletableFuture())
                .orElseGet(() -> CompletableFuture.failedFuture(new IllegalStateException("this node has no log")));
    }

    @Override
    public Plan plan(ClusterState state) {
        return Planner.plan(state, placement);
    }
}
