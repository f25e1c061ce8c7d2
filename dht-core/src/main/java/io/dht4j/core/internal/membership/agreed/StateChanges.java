package io.dht4j.core.internal.membership.agreed;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.agreed.distribution.InstalledState;
import io.dht4j.core.internal.membership.agreed.distribution.StatePulls;
import io.dht4j.core.internal.membership.agreed.log.CommandLog;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.ClusterState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** Changes the agreed state from any node. Does not block; safe for use by any number of threads. */
final class StateChanges {

    private static final Duration APPEND_TIMEOUT = Duration.ofSeconds(10);
    private static final int MOST_PLANS = 5;

    private final NodeId self;
    private final MemberDirectory members;
    private final CommandLog commands;
    private final InstalledState installed;
    private final StatePulls pulls;
    private final Supplier<String> waiting;

    /**
     * Creates the changes of a node.
     *
     * @param self the node
     * @param members the newest state
     * @param commands appends commands
     * @param installed the installed state
     * @param pulls fetches states
     * @param waiting returns what the node waits for before it has a state
     */
    StateChanges(
            NodeId self,
            MemberDirectory members,
            CommandLog commands,
            InstalledState installed,
            StatePulls pulls,
            Supplier<String> waiting) {
        this.self = self;
        this.members = members;
        this.commands = commands;
        this.installed = installed;
        this.pulls = pulls;
        this.waiting = waiting;
    }

    /**
     * Changes the agreed state. The command is planned again on the newest state if another one came first.
     *
     * @param plan makes the command from the newest state
     * @return the epoch of the change, once this node has installed it; fails with a {@link DhtException} if the state
     *     refuses it, or no leader is found in time
     */
    CompletableFuture<Long> change(Function<ClusterState, Command> plan) {
        return change(plan, MOST_PLANS);
    }

    private CompletableFuture<Long> change(Function<ClusterState, Command> plan, int attempts) {
        Optional<ClusterState> state = members.state();
        if (state.isEmpty()) {
            return CompletableFuture.failedFuture(
                    DhtException.of(ErrorCode.NOT_SERVING, "node " + self + " does not serve yet: " + waiting.get()));
        }
        return commands.append(state.get().cluster(), plan.apply(state.get()), APPEND_TIMEOUT)
                .thenCompose(appended -> switch (appended.outcome()) {
                    case ACCEPTED -> pullUpTo(appended.epoch(), MOST_PLANS);
                    case STALE ->
                        attempts <= 1
                                ? failed(ErrorCode.OVERLOADED, appended.reason())
                                : pullUpTo(state.get().epoch() + 1, MOST_PLANS)
                                        .thenCompose(epoch -> change(plan, attempts - 1));
                    case REFUSED -> failed(ErrorCode.BAD_REQUEST, appended.reason());
                    case NOT_LEADER, NOT_SENT -> failed(ErrorCode.NOT_SENT, appended.reason());
                    case UNKNOWN -> failed(ErrorCode.INTERNAL, appended.reason());
                });
    }

    private CompletableFuture<Long> pullUpTo(long epoch, int attempts) {
        if (installed.epoch() >= epoch || attempts == 0) {
            return CompletableFuture.completedFuture(epoch);
        }
        Optional<ClusterState> applied = members.state();
        List<Node> voters = members.voters();
        CompletableFuture<ClusterState> step =
                applied.isPresent() && applied.get().epoch() >= epoch
                        ? installed.offer(applied.get())
                        : voters.isEmpty()
                                ? CompletableFuture.failedFuture(new IllegalStateException("no other voter"))
                                : pulls.from(voters.get(attempts % voters.size()));
        return step.handle((state, error) -> attempts).thenCompose(left -> pullUpTo(epoch, left - 1));
    }

    private static CompletableFuture<Long> failed(ErrorCode code, String reason) {
        return CompletableFuture.failedFuture(DhtException.of(code, reason));
    }
}
