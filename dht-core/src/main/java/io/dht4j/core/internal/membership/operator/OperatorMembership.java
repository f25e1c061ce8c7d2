package io.dht4j.core.internal.membership.operator;

import static java.util.Objects.requireNonNull;

import io.dht4j.ClusterMembership;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.MembershipChange;
import io.dht4j.MembershipEvent;
import io.dht4j.MembershipStatus;
import io.dht4j.NodeId;
import io.dht4j.RebalancePlan;
import io.dht4j.UnavailableException;
import io.dht4j.core.internal.membership.agreed.AgreedMembership;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.command.CommandResult;
import io.dht4j.core.internal.membership.command.StateMachine;
import io.dht4j.core.internal.membership.driver.MoveSizes;
import io.dht4j.core.internal.membership.plan.Plan;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Placement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/** The membership of an agreed cluster at one of its nodes. Safe for use by any number of threads. */
public final class OperatorMembership implements ClusterMembership {

    private final NodeId self;
    private final AgreedMembership agreed;
    private final Plans plans;
    private final EventListeners listeners;

    /**
     * Creates the membership of a node that serves.
     *
     * @param self the node
     * @param agreed its agreed membership
     * @param placement determines which partitions nodes prefer
     * @param environment threads
     */
    public OperatorMembership(NodeId self, AgreedMembership agreed, Placement placement, Environment environment) {
        this.self = self;
        this.agreed = agreed;
        this.plans = new Plans(placement, environment.storeExecutor());
        this.listeners = new EventListeners(agreed.state(), environment.executor());
        agreed.follow(listeners::installed);
    }

    /** Returns the agreed membership of this node. */
    public AgreedMembership agreed() {
        return agreed;
    }

    @Override
    public CompletionStage<MembershipStatus> status() {
        return DhtException.unwrap(withState(state -> {
            CompletableFuture<Plan> plan = plans.of(state);
            return agreed.reports()
                    .ask(state)
                    .thenCombine(
                            plan,
                            (reports, planned) -> new StatusAssembly(
                                            state,
                                            self,
                                            planned,
                                            reports,
                                            agreed.reports()::silence,
                                            agreed.reports()::foreign)
                                    .status());
        }));
    }

    @Override
    public CompletionStage<RebalancePlan> plan() {
        return DhtException.unwrap(withState(state -> plans.of(state)
                .thenApply(plan -> new RebalancePlan(
                        state.epoch(),
                        plan.batches().stream()
                                .map(batch -> new RebalancePlan.Move(
                                        state.members().get(batch.from()).name(),
                                        state.members().get(batch.to()).name(),
                                        batch.partitions().cardinality(),
                                        batch.isGrowth()))
                                .toList(),
                        plan.unplaced()))));
    }

    private <T> CompletableFuture<T> withState(Function<ClusterState, CompletableFuture<T>> answer) {
        return agreed.state()
                .map(answer)
                .orElseGet(() -> CompletableFuture.failedFuture(
                        new UnavailableException(ErrorCode.NOT_SERVING, "this node has no agreed state yet")));
    }

    @Override
    public CompletionStage<Long> change(MembershipChange change) {
        return DhtException.unwrap(begin(requireNonNull(change, "change")));
    }

    private CompletionStage<Long> begin(MembershipChange change) {
        if (change instanceof MembershipChange.Replace replace) {
            return withState(state -> requireSilent(state, replace).thenCompose(silent -> agreed(change)));
        }
        if (change instanceof MembershipChange.Remove remove) {
            return withState(state -> requireRoom(
                            state,
                            state.members()
                                    .named(remove.node())
                                    .filter(member -> member.lifecycle().takesSlots())
                                    .map(member -> new Command.Leave(state.epoch(), member.number())),
                            "the data of " + remove.node() + " does not fit on the other nodes")
                    .thenCompose(fits -> agreed(change)));
        }
        if (change instanceof MembershipChange.ReplicationFactor factor) {
            return withState(state -> requireRoom(
                            state,
                            Optional.of(new Command.SetReplicationFactor(state.epoch(), factor.replicas())),
                            factor.replicas() + " replicas of all data do not fit on the nodes")
                    .thenCompose(fits -> agreed(change)));
        }
        if (change instanceof MembershipChange.Recover recover) {
            return agreed.recover(recover.lost(), recover.acceptDataLoss());
        }
        if (change instanceof MembershipChange.CancelMoves) {
            return agreed(MembershipChange.Rebalance.pause()).thenCompose(this::abortAll);
        }
        return agreed(change);
    }

    private CompletableFuture<Long> agreed(MembershipChange change) {
        return agreed.change(state -> Changes.command(state, change));
    }

    private CompletableFuture<Long> abortAll(long epoch) {
        return withState(state -> {
            if (Changes.abortNext(state).isEmpty()) {
                return CompletableFuture.completedFuture(Math.max(epoch, state.epoch()));
            }
            return agreed.change(Changes::abortNext).thenCompose(this::abortAll);
        });
    }

    private CompletableFuture<Void> requireSilent(ClusterState state, MembershipChange.Replace replace) {
        Optional<Member> member = state.members()
                .named(replace.node())
                .filter(named -> named.lifecycle().isPresent());
        if (member.isEmpty()) {
            // The command reports the error.
            return CompletableFuture.completedFuture(null);
        }
        return agreed.reports().ask(state, List.of(member.get())).thenApply(reports -> {
            Changes.requireSilent(state, member.get(), self, !reports.isEmpty());
            return null;
        });
    }

    /** Refuses a command that needs more space than nodes have, if they have reported their space. */
    private CompletableFuture<Void> requireRoom(ClusterState state, Optional<? extends Command> command, String what) {
        Optional<ClusterState> changed = command.map(some -> StateMachine.apply(Optional.of(state), some))
                .filter(CommandResult.Accepted.class::isInstance)
                .map(result -> ((CommandResult.Accepted) result).state());
        if (changed.isEmpty()) {
            // The command reports the error.
            return CompletableFuture.completedFuture(null);
        }
        return plans.ofAssumed(changed.get()).thenCombine(agreed.reports().ask(state), (plan, reports) -> {
            Changes.requireRoom(what, new MoveSizes(state, reports).withoutRoom(plan));
            return null;
        });
    }

    @Override
    public Subscription listen(Consumer<MembershipEvent> listener) {
        return listeners.add(requireNonNull(listener, "listener"));
    }

    @Override
    public boolean isRemoved() {
        return agreed.isRemoved();
    }
}
