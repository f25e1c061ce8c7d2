package io.dht4j.core.internal.membership.agreed.formation;

import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.agreed.log.CommandLog;
import io.dht4j.core.internal.membership.agreed.peer.MembershipRequestSender;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.command.ReplacementCheck;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.membership.state.MemberAttributes;
import io.dht4j.core.internal.membership.state.MemberList;
import io.dht4j.core.internal.wire.MembershipReply.Appended;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Joins a cluster: fetches its state from one of the given nodes, appends the join, and fetches the state again until
 * this node is a member. A repeat after a crash finds this incarnation in the state. One step runs at a time. Safe for
 * use by any number of threads.
 */
public final class Joining {

    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration APPEND_TIMEOUT = Duration.ofSeconds(5);

    private final NodeId self;
    private final UUID incarnation;
    private final MemberAttributes attributes;
    private final Map<String, String> claims;
    private final JoinPath path;
    private final Environment environment;
    private final StartWait wait;
    private final Function<Node, CompletableFuture<Optional<ClusterState>>> fetching;
    private final Function<ClusterState, CompletableFuture<ClusterState>> installing;
    private final CommandLog commands;
    private int turn;
    /** Why the seeds that were asked have not let this node in; the newest reason of each. Guarded by itself. */
    private final Map<Node, String> reasons = new LinkedHashMap<>();
    /** The members as of the newest fetched state. */
    private volatile List<Member> members = List.of();

    private volatile List<Node> voters = List.of();

    /**
     * Creates a join that has not begun.
     *
     * @param self this node
     * @param incarnation its stored incarnation
     * @param attributes its address and weight
     * @param claims the settings of its start
     * @param path finds nodes of the cluster
     * @param requests sends requests
     * @param environment timers
     * @param fetching fetches the state of a node
     * @param installing installs a state
     * @param wait ends when this node has a state
     */
    public Joining(
            NodeId self,
            UUID incarnation,
            MemberAttributes attributes,
            Map<String, String> claims,
            JoinPath path,
            MembershipRequestSender requests,
            Environment environment,
            Function<Node, CompletableFuture<Optional<ClusterState>>> fetching,
            Function<ClusterState, CompletableFuture<ClusterState>> installing,
            StartWait wait) {
        this.self = self;
        this.incarnation = incarnation;
        this.attributes = attributes;
        this.claims = claims;
        this.path = path;
        this.environment = environment;
        this.fetching = fetching;
        this.installing = installing;
        this.wait = wait;
        this.commands =
                new CommandLog(requests, environment, () -> voters, this::node, ref -> Optional.of(ref.incarnation()));
    }

    private Optional<Node> node(UUID other) {
        return members.stream().filter(member -> member.is(other)).findFirst().flatMap(Joining::node);
    }

    private static Optional<Node> node(Member member) {
        return member.attributes().map(details -> new Node(member.name(), details.address(), details.weight()));
    }

    /** Begins to ask. */
    public void start() {
        ask();
    }

    private void ask() {
        if (wait.isOver()) {
            return;
        }
        path.seeds().whenComplete((seeds, error) -> {
            if (error == null) {
                synchronized (reasons) {
                    reasons.keySet().retainAll(seeds);
                }
                ask(seeds.get(Math.floorMod(turn++, seeds.size())));
            } else {
                wait.on("node " + self + " looks for nodes of a cluster to join ("
                        + MembershipRequestSender.message(DhtException.unwrap(error)) + ")");
                again();
            }
        });
    }

    private void ask(Node seed) {
        path.admission(seed)
                .thenCompose(done -> fetching.apply(seed))
                .thenCompose(state -> state.isEmpty() ? retry(seed, "it has no agreed state") : member(state.get()))
                .whenComplete((asked, error) -> {
                    if (error != null) {
                        retry(seed, MembershipRequestSender.message(DhtException.unwrap(error)));
                    }
                    again();
                });
    }

    private CompletableFuture<Boolean> retry(Node seed, String why) {
        String all;
        synchronized (reasons) {
            reasons.put(seed, why);
            all = reasons.entrySet().stream()
                    .map(each -> each.getKey().id() + " at " + each.getKey().address() + " (" + each.getValue() + ")")
                    .collect(Collectors.joining(", or "));
        }
        wait.on("node " + self + " joins a cluster, and waits for " + all + path.refusal());
        return CompletableFuture.completedFuture(false);
    }

    private CompletableFuture<Boolean> member(ClusterState state) {
        MemberList all = state.members();
        Optional<Member> known = all.incarnation(incarnation);
        if (known.isPresent()
                && known.get().name().equals(self)
                && known.get().lifecycle().isPresent()) {
            return installing.apply(state).thenApply(installed -> true);
        }
        members = all.all();
        List<Node> may = new ArrayList<>();
        all.voters().forEach(number -> node(all.get(number)).ifPresent(may::add));
        voters = may;
        Optional<Member> dead = all.named(self).filter(member -> member.lifecycle() == Lifecycle.DEAD);
        String problem =
                dead.map(member -> ReplacementCheck.problemOf(state, member)).orElse("");
        if (!problem.isEmpty()) {
            wait.on(problem);
            return CompletableFuture.completedFuture(true);
        }
        return commands.append(state.cluster(), command(state), APPEND_TIMEOUT).thenApply(appended -> {
            appended(appended);
            return true;
        });
    }

    /** Returns the command that adds this node: in place of a dead member of its name, if there is one. */
    private Command command(ClusterState state) {
        Optional<Member> dead = state.members().named(self).filter(member -> member.lifecycle() == Lifecycle.DEAD);
        if (dead.isEmpty() || !state.settings().contradictions(claims, self).isEmpty()) {
            // The refusal of a join names the contradictions.
            return new Command.Join(state.epoch(), self, incarnation, attributes, claims);
        }
        return new Command.Replace(state.epoch(), dead.get().number(), incarnation, attributes);
    }

    private void appended(Appended appended) {
        switch (appended.outcome()) {
            case ACCEPTED, STALE -> {
                // The next state contains this node, or the change in between.
            }
            case REFUSED -> wait.fail(appended.reason() + path.refusal());
            case NOT_LEADER, NOT_SENT, UNKNOWN ->
                wait.on("node " + self + " joins a cluster, and waits for a leader of its voters "
                        + voters.stream().map(Node::id).toList() + " (" + appended.reason() + ")");
        }
    }

    private void again() {
        if (!wait.isOver()) {
            environment.schedule(this::ask, INTERVAL.toNanos());
        }
    }
}
