package io.dht4j.core.internal.membership.agreed.log;

import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.OverloadedException;
import io.dht4j.UnavailableException;
import io.dht4j.core.internal.membership.agreed.peer.MembershipRequestSender;
import io.dht4j.core.internal.membership.codec.CommandCodec;
import io.dht4j.core.internal.membership.codec.MalformedStateException;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.wire.MembershipReply.Appended;
import io.dht4j.core.internal.wire.MembershipReply.Outcome;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Environment;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLog;
import io.dht4j.spi.TopologyLogException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Appends commands at the node that leads the topology log. A command is repeated until its deadline. This is safe,
 * since a command expects an epoch: its second copy has no effect, and gets the result of the first one. Does not
 * block; safe for use by any number of threads.
 */
public final class CommandLog {

    /** The maximum number of commands that search for the leader. */
    private static final int MOST_ATTEMPTS = 64;

    private static final Duration PAUSE = Duration.ofMillis(500);

    private final MembershipRequestSender requests;
    private final Environment environment;
    private final Supplier<List<Node>> voters;
    private final Function<UUID, Optional<Node>> nodes;
    private final Function<NodeRef, Optional<UUID>> incarnations;
    private volatile @Nullable Member member;
    private volatile Follower follower = (command, before) -> {};
    private volatile Guard guard = (command, state) -> CompletableFuture.completedFuture(Optional.empty());
    private final Set<Attempt> attempts = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** Observes commands that were appended here. */
    @FunctionalInterface
    public interface Follower {

        /**
         * A command was accepted.
         *
         * @param command the command
         * @param before the state before it was appended
         */
        void accepted(Command command, ClusterState before);
    }

    /** Refuses commands for reasons that the leader knows and the agreed state does not contain. */
    @FunctionalInterface
    public interface Guard {

        /**
         * Checks a command before it is appended.
         *
         * @param command the command
         * @param state the newest state here, perhaps another one than the command expects
         * @return completes within 2 seconds with why it is refused, one sentence for people; empty if it is appended.
         *     The command is not appended if this fails
         */
        CompletableFuture<Optional<String>> refusal(Command command, ClusterState state);
    }

    private record Member(TopologyLog log, ReplicatedState state) {}

    /**
     * Creates the client of a log in which this node takes no part.
     *
     * @param requests sends requests
     * @param environment clocks and timers
     * @param voters returns the other nodes that may lead
     * @param nodes returns the node with an incarnation
     * @param incarnations returns the incarnation of a member of the log
     */
    public CommandLog(
            MembershipRequestSender requests,
            Environment environment,
            Supplier<List<Node>> voters,
            Function<UUID, Optional<Node>> nodes,
            Function<NodeRef, Optional<UUID>> incarnations) {
        this.requests = requests;
        this.environment = environment;
        this.voters = voters;
        this.nodes = nodes;
        this.incarnations = incarnations;
    }

    /** Takes part in the log from now on. */
    public void member(TopologyLog log, ReplicatedState state) {
        member = new Member(log, state);
    }

    /** No longer takes part in the log. */
    public void noMember() {
        member = null;
    }

    /** Reports the commands that are accepted here. */
    public void follower(Follower now) {
        follower = now;
    }

    /** Asks a guard before a command is appended at this node. */
    public void guard(Guard now) {
        guard = now;
    }

    /**
     * Appends a command at this node.
     *
     * @param command the encoded command
     * @param context the deadline
     * @return the outcome; never fails
     */
    public CompletableFuture<Appended> appendHere(byte[] command, CallContext context) {
        Member here = member;
        if (here == null) {
            return CompletableFuture.completedFuture(notLeader("this node does not take part", Optional.empty()));
        }
        if (!here.log.leads()) {
            // A leader that was just elected would append, too. But it may lack the state that the guard needs.
            return CompletableFuture.completedFuture(notLeader("this member does not lead", here.log.leader()));
        }
        Optional<ClusterState> before = here.state.state();
        if (before.isEmpty()) {
            // The leader of a new log appends the state with which it begins itself.
            return CompletableFuture.completedFuture(
                    new Appended(Outcome.NOT_SENT, 0, "the topology log has no state yet", Optional.empty()));
        }
        return refusal(command, before.get())
                .handle((refusal, error) -> error == null
                        ? refusal.map(CommandLog::refused)
                        : Optional.of(new Appended(
                                Outcome.NOT_SENT,
                                0,
                                MembershipRequestSender.message(DhtException.unwrap(error)),
                                Optional.empty())))
                .thenCompose(refusal -> refusal.map(CompletableFuture::completedFuture)
                        .orElseGet(() -> append(here, before.get(), command, context)));
    }

    private static Appended refused(String why) {
        return new Appended(Outcome.REFUSED, 0, why, Optional.empty());
    }

    private CompletableFuture<Appended> append(Member here, ClusterState before, byte[] command, CallContext context) {
        CompletionStage<Long> append;
        try {
            append = here.log.append(command, context);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.completedFuture(
                    new Appended(Outcome.UNKNOWN, 0, MembershipRequestSender.message(e), Optional.empty()));
        }
        return append.handle((index, error) -> {
                    Appended appended =
                            error == null ? resultAt(index, here.state) : failed(DhtException.unwrap(error));
                    if (appended.outcome() == Outcome.ACCEPTED) {
                        accepted(command, before);
                    }
                    return appended;
                })
                .toCompletableFuture();
    }

    private CompletableFuture<Optional<String>> refusal(byte[] bytes, ClusterState state) {
        try {
            return guard.refusal(CommandCodec.decode(bytes), state);
        } catch (MalformedStateException e) {
            // The state machine refuses it, on every member alike.
            return CompletableFuture.completedFuture(Optional.empty());
        }
    }

    private void accepted(byte[] command, ClusterState before) {
        try {
            follower.accepted(CommandCodec.decode(command), before);
        } catch (MalformedStateException e) {
            throw new IllegalStateException("a command that was accepted cannot be read", e);
        }
    }

    private static Appended resultAt(long index, ReplicatedState state) {
        return state.result(index)
                .orElseGet(() -> new Appended(
                        Outcome.UNKNOWN, 0, "the result of the command is no longer known", Optional.empty()));
    }

    private Appended failed(Throwable error) {
        if (!(error instanceof TopologyLogException failure)) {
            return new Appended(Outcome.UNKNOWN, 0, MembershipRequestSender.message(error), Optional.empty());
        }
        return switch (failure.outcome()) {
            case NOT_LEADER -> notLeader(MembershipRequestSender.message(failure), failure.leader());
            case NOT_SENT ->
                new Appended(Outcome.NOT_SENT, 0, MembershipRequestSender.message(failure), Optional.empty());
            case UNKNOWN ->
                new Appended(Outcome.UNKNOWN, 0, MembershipRequestSender.message(failure), Optional.empty());
        };
    }

    private Appended notLeader(String why, Optional<NodeRef> leader) {
        return new Appended(Outcome.NOT_LEADER, 0, why, leader.flatMap(incarnations));
    }

    /**
     * Appends a command at the leader.
     *
     * @param cluster the cluster
     * @param command a command of at most {@value MembershipRequest#MAX_BYTES} bytes
     * @param timeout how long the search for a leader takes at most
     * @return accepted, refused or stale, or the last failure before the deadline; never fails
     */
    public CompletableFuture<Appended> append(UUID cluster, Command command, Duration timeout) {
        byte[] bytes = CommandCodec.encode(command);
        if (bytes.length > MembershipRequest.MAX_BYTES) {
            return CompletableFuture.completedFuture(new Appended(
                    Outcome.REFUSED,
                    0,
                    "a command has at most " + MembershipRequest.MAX_BYTES + " bytes, not " + bytes.length,
                    Optional.empty()));
        }
        if (attempts.size() >= MOST_ATTEMPTS) {
            return CompletableFuture.completedFuture(
                    new Appended(Outcome.NOT_SENT, 0, "too many changes wait for a leader", Optional.empty()));
        }
        Attempt attempt = new Attempt(cluster, bytes, requests.context(timeout));
        attempts.add(attempt);
        attempt.result.whenComplete((appended, error) -> attempts.remove(attempt));
        if (closed) {
            close();
        } else {
            attempt.nextOfAny();
        }
        return attempt.result;
    }

    /** Ends the searches for a leader. */
    public void close() {
        closed = true;
        attempts.forEach(attempt ->
                attempt.result.complete(new Appended(Outcome.UNKNOWN, 0, "this node is closed", Optional.empty())));
    }

    /** The search for the leader on behalf of one command. One request is in flight at a time. */
    private final class Attempt {

        private final UUID cluster;
        private final byte[] command;
        private final CallContext context;
        private final CompletableFuture<Appended> result = new CompletableFuture<>();
        private int turn;
        private boolean mayHint = true;

        /** The last answer of a node that may have appended the command; later answers of others do not refute it. */
        private @Nullable Appended unknown;

        Attempt(UUID cluster, byte[] command, CallContext context) {
            this.cluster = cluster;
            this.command = command;
            this.context = context;
        }

        /** Asks the leader if it is known. Never throws: a timer calls it, too. */
        private void nextOfAny() {
            try {
                next(Optional.empty());
            } catch (RuntimeException | Error e) {
                result.complete(unanswered(e));
            }
        }

        void next(Optional<Node> hint) {
            Member here = member;
            CompletableFuture<Appended> answer;
            if (hint.isEmpty() && here != null && here.log.leads()) {
                answer = appendHere(command, context);
            } else {
                Optional<Node> target = hint.or(this::candidate);
                if (target.isEmpty()) {
                    answer = CompletableFuture.completedFuture(
                            notLeader("this node knows no other voter", Optional.empty()));
                } else {
                    answer = requests.ask(target.get(), new MembershipRequest.Append(cluster, command), Appended.class);
                }
            }
            answer.handle((appended, error) -> error == null ? appended : unanswered(DhtException.unwrap(error)))
                    .thenAccept(this::answered)
                    .exceptionally(error -> {
                        result.complete(unanswered(DhtException.unwrap(error)));
                        return null;
                    });
        }

        /** Returns the leader that this member of the log knows, or one voter after the other. */
        private Optional<Node> candidate() {
            Member here = member;
            if (here != null && turn % 2 == 0) {
                Optional<Node> leader = here.log.leader().flatMap(incarnations).flatMap(nodes);
                if (leader.isPresent()) {
                    turn++;
                    return leader;
                }
            }
            List<Node> others = voters.get();
            return others.isEmpty() ? Optional.empty() : Optional.of(others.get(turn++ % others.size()));
        }

        private void answered(Appended appended) {
            if (result.isDone()) {
                return;
            }
            boolean over = switch (appended.outcome()) {
                case ACCEPTED, REFUSED, STALE -> true;
                case NOT_LEADER, NOT_SENT, UNKNOWN -> context.remainingNanos() <= PAUSE.toNanos();
            };
            if (appended.outcome() == Outcome.UNKNOWN) {
                unknown = appended;
            }
            if (over) {
                Appended before = unknown;
                boolean refutes = appended.outcome() != Outcome.NOT_LEADER && appended.outcome() != Outcome.NOT_SENT;
                result.complete(before == null || refutes ? appended : before);
                return;
            }
            Optional<Node> hint = appended.leader().flatMap(nodes);
            if (hint.isPresent() && mayHint) {
                // A hint is followed once at a time: each of two nodes may consider the other the leader.
                mayHint = false;
                next(hint);
            } else {
                mayHint = true;
                environment.schedule(this::nextOfAny, PAUSE.toNanos());
            }
        }

        private Appended unanswered(Throwable error) {
            boolean isRefused = error instanceof UnavailableException || error instanceof OverloadedException;
            return new Appended(
                    isRefused ? Outcome.NOT_SENT : Outcome.UNKNOWN,
                    0,
                    MembershipRequestSender.message(error),
                    Optional.empty());
        }
    }
}
