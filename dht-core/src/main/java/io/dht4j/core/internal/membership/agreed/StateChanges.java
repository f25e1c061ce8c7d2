package io.dht4j.core.internal.membership.agreed;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.agreed.distribution.InstalledState;
import io.dht4j.core.internal.membership.agreed.distribution.StatePulls;
import io.dht4j.core.internal.membership.agreed.log.CommandLog;
import io.dht4j.core.internal.membership.agreed.peer.MembershipRequestSender;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Changes the agreed state from any node. Does not block; safe for use by any number of threads. */
final class StateChanges {

    private static final Duration APPEND_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration INSTALL_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(200);
    /** A change is planned again on newer states for this time. */
    private static final Duration PLAN_TIMEOUT = Duration.ofSeconds(20);

    private final NodeId self;
    private final MemberDirectory members;
    private final CommandLog commands;
    private final InstalledState installed;
    private final StatePulls pulls;
    private final Environment environment;
    private final Supplier<String> waiting;
    private final Predicate<NodeId> isSilent;

    /**
     * Creates the changes of a node.
     *
     * @param self the node
     * @param members the newest state
     * @param commands appends commands
     * @param installed the installed state
     * @param pulls fetches states
     * @param environment clocks and timers
     * @param waiting describes what the node waits for before it has a state
     * @param isSilent returns whether a node has not answered the last request
     */
    StateChanges(
            NodeId self,
            MemberDirectory members,
            CommandLog commands,
            InstalledState installed,
            StatePulls pulls,
            Environment environment,
            Supplier<String> waiting,
            Predicate<NodeId> isSilent) {
        this.self = self;
        this.members = members;
        this.commands = commands;
        this.installed = installed;
        this.pulls = pulls;
        this.environment = environment;
        this.waiting = waiting;
        this.isSilent = isSilent;
    }

    /**
     * Changes the agreed state. The command is planned again on the newest state if another command came first.
     *
     * @param plan creates the command from the newest state; none if no change is needed
     * @return the epoch of the change, or of a state that needs none, once this node has installed it; fails with a
     *     {@link DhtException} if the state refuses it, no leader is found in time, or this node does not install it in
     *     time
     */
    CompletableFuture<Long> change(Function<ClusterState, Optional<Command>> plan) {
        return change(plan, environment.nanoTime() + PLAN_TIMEOUT.toNanos());
    }

    private CompletableFuture<Long> change(Function<ClusterState, Optional<Command>> plan, long untilNanos) {
        Optional<ClusterState> state = members.state();
        if (state.isEmpty()) {
            return CompletableFuture.failedFuture(
                    DhtException.of(ErrorCode.NOT_SERVING, "node " + self + " does not serve yet: " + waiting.get()));
        }
        if (!members.isPresentIn(state.get())) {
            return failed(
                    ErrorCode.NOT_SERVING, "node " + self + " no longer belongs to the cluster: ask one of its nodes");
        }
        Optional<Command> command;
        try {
            command = plan.apply(state.get());
        } catch (RuntimeException | Error e) {
            // The plan refuses this state: the waiting caller needs an answer.
            return CompletableFuture.failedFuture(e);
        }
        if (command.isEmpty()) {
            return install(state.get().epoch());
        }
        return commands.append(state.get().cluster(), command.get(), APPEND_TIMEOUT)
                .thenCompose(appended -> switch (appended.outcome()) {
                    case ACCEPTED -> install(appended.epoch());
                    case STALE ->
                        environment.nanoTime() - untilNanos >= 0
                                ? failed(ErrorCode.OVERLOADED, appended.reason())
                                : newerThan(state.get().epoch()).thenCompose(any -> change(plan, untilNanos));
                    case REFUSED -> failed(ErrorCode.BAD_REQUEST, appended.reason());
                    case NOT_LEADER, NOT_SENT -> failed(ErrorCode.NOT_SENT, withoutLeader(appended.reason()));
                    case UNKNOWN ->
                        failed(
                                ErrorCode.WRITE_INDETERMINATE,
                                withoutLeader(appended.reason()) + ", since it may have been made");
                });
    }

    private String withoutLeader(String reason) {
        // A recovery must name every silent node, and the members of the log may differ from the voters.
        List<String> lost = members.others().stream()
                .map(Node::id)
                .filter(isSilent)
                .map(NodeId::value)
                .toList();
        return "the change has found no leader of a majority of the voters in " + APPEND_TIMEOUT.toSeconds() + " s ("
                + reason + "): MembershipStatus.metadata() shows which voters are silent. Start them, or, if most are"
                + " lost for good, call membership().change with a MembershipChange.Recover of "
                + (lost.isEmpty() ? "NODES" : String.join(",", lost))
                + "; look at MembershipStatus.members() before you repeat the change";
    }

    /** Waits for a state to plan on. A member of the log has applied it already. */
    private CompletableFuture<Long> newerThan(long epoch) {
        boolean isKnown = members.state().filter(known -> known.epoch() > epoch).isPresent();
        return isKnown ? CompletableFuture.completedFuture(epoch) : install(epoch + 1);
    }

    /** Installs a state of an epoch that is agreed. */
    private CompletableFuture<Long> install(long epoch) {
        return install(epoch, environment.nanoTime() + INSTALL_TIMEOUT.toNanos(), 0);
    }

    private CompletableFuture<Long> install(long epoch, long untilNanos, int turn) {
        if (installed.epoch() >= epoch) {
            return CompletableFuture.completedFuture(epoch);
        }
        return step(epoch, turn)
                .handle((state, error) ->
                        error == null ? "" : MembershipRequestSender.message(DhtException.unwrap(error)))
                .thenCompose(why -> {
                    if (installed.epoch() >= epoch) {
                        return CompletableFuture.completedFuture(epoch);
                    }
                    if (environment.nanoTime() - untilNanos >= 0) {
                        return failed(
                                ErrorCode.WRITE_INDETERMINATE,
                                "the cluster has agreed on epoch " + Epoch.text(epoch) + ", and node " + self
                                        + " has not installed it in time" + (why.isEmpty() ? "" : " (" + why + ")")
                                        + ": ask for the status of the cluster before the next change");
                    }
                    CompletableFuture<Long> later = new CompletableFuture<>();
                    environment.schedule(() -> later.complete(epoch), PAUSE.toNanos());
                    return later.thenCompose(any -> install(epoch, untilNanos, turn + 1));
                });
    }

    private CompletableFuture<ClusterState> step(long epoch, int turn) {
        Optional<ClusterState> applied = members.state();
        if (applied.isPresent() && applied.get().epoch() >= epoch) {
            return installed.offer(applied.get());
        }
        List<Node> voters = members.voters();
        return voters.isEmpty()
                ? CompletableFuture.failedFuture(new IllegalStateException("this node knows no other voter"))
                : pulls.from(voters.get(turn % voters.size()));
    }

    private static CompletableFuture<Long> failed(ErrorCode code, String reason) {
        return CompletableFuture.failedFuture(DhtException.of(code, reason));
    }
}
