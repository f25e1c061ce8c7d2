package io.dht4j.core.internal.coordinator.atomic;

import static java.util.Objects.requireNonNull;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.Register;
import io.dht4j.core.internal.atomic.RegisterCodec;
import io.dht4j.core.internal.coordinator.peer.OutboundRequest;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.Replanning;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.core.internal.wire.RegisterReply;
import io.dht4j.core.internal.wire.RegisterRequest;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One ballot of a proposer: learns the accepted state from the nodes of a majority of slots, which promise to accept no
 * lower ballot, executes attempts on it, and has the result accepted by a majority. Each majority has a slot in common
 * with every other, so a later ballot begins with this result if it may have been acknowledged.
 *
 * <p>The nodes that accept promise the next ballot too. If a majority does, the proposer has the {@linkplain Leads
 * lead}: its next round executes attempts on the state that it knows, and begins with the accept.
 *
 * <p>Ends once, with one of the methods of {@link End}. Does not block; safe for use by any number of threads.
 */
final class Round {

    /** How often a node that is behind is asked again. */
    private static final int MOST_BEHIND = 3;

    private static final String OUTBID = "other proposers have higher ballots";

    /** Receives the end of a round. */
    interface End {

        /** All attempts have their replies. */
        void isDone();

        /**
         * The attempts have no outcome, and can be made again with a higher ballot.
         *
         * @param stale the request that a node has refused because of a newer row; null for another reason
         */
        void mustRepeat(@Nullable PeerFailure stale, ErrorCode code, String why);
    }

    private enum Stage {
        PREPARE,
        ACCEPT,
        /** A majority has accepted the state. Other nodes are still asked to. */
        CHOSEN,
        OVER
    }

    private final RegisterServices services;
    private final Key key;
    private final RowQuorum row;
    private final Version ballot;
    private final CallContext context;
    private final End end;
    private final OutboundRequest prepare;
    /** The call to which its requests count, one of those that wait for it; null if none is observed. */
    private final @Nullable ObservedCall observed;
    /** Whether all nodes that answer are to accept the result. */
    private final boolean isForAll;
    /** What it begins with, in place of promises; empty to ask for them. */
    private final Optional<Leads.Lead> lead;
    /** Set before any request. */
    private volatile Environment.@Nullable Timer timer;

    // Guarded by this.
    private List<Attempt> attempts;
    private Stage stage = Stage.PREPARE;
    private final Map<NodeId, Node> promised = new HashMap<>();
    private final Map<NodeId, RegisterReply.Promised> promises = new HashMap<>();
    private final Set<NodeId> accepted = new HashSet<>();
    /** The nodes that have promised the next ballot. */
    private final Set<NodeId> promisedNext = new HashSet<>();
    /** Whether another proposer has a higher ballot. */
    private boolean isOutbid;

    /** The nodes without a part in this round, with the reasons. */
    private final Map<NodeId, String> failed = new HashMap<>();

    private Version highest = Register.NEVER_CHANGED;
    /** The state that is to be accepted, and the next ballot, once there are. */
    private RegisterRequest.@Nullable Accept proposal;

    private @Nullable OutboundRequest accept;
    /** How often each node has refused because it lacks the state before, or has just promised the ballot. */
    private final Map<NodeId, Integer> behind = new HashMap<>();

    /**
     * Creates a round.
     *
     * @param ballot a ballot that was never used
     * @param lead has the ballot and the accepted state, so that no promises are needed; empty if they are, and always
     *     if one of the attempts is for all nodes
     * @param attempts those that it makes, in this order
     * @param isAlone whether each request has a frame of its own, in which the largest register has room
     */
    Round(
            RegisterServices services,
            Key key,
            RowQuorum row,
            Version ballot,
            Optional<Leads.Lead> lead,
            List<Attempt> attempts,
            CallContext context,
            boolean isAlone,
            End end) {
        this.services = services;
        this.key = key;
        this.row = row;
        this.ballot = ballot;
        this.lead = lead;
        this.attempts = attempts;
        this.context = context;
        this.end = end;
        RegisterRequest request = new RegisterRequest.Prepare(key, ballot);
        this.observed = observed(attempts);
        this.isForAll = attempts.stream().anyMatch(attempt -> attempt.isForAll);
        this.prepare = isAlone ? OutboundRequest.alone(request, row.token()) : OutboundRequest.of(request, row.token());
    }

    private static @Nullable ObservedCall observed(List<Attempt> attempts) {
        for (Attempt attempt : attempts) {
            if (attempt.observed != null) {
                return attempt.observed;
            }
        }
        return null;
    }

    void start() {
        // A store of this node may hang, and no timer ends a local request.
        timer = services.environment().schedule(this::expire, Math.max(0, context.remainingNanos()));
        if (!isLed()) {
            services.client().order().localLast(row.nodes(), node -> ask(node, prepare));
            return;
        }
        Runnable following;
        synchronized (this) {
            if (stage == Stage.OVER) {
                return;
            }
            following =
                    execute(RegisterCodec.register(lead.orElseThrow().accepted()), Register.NEVER_CHANGED, row.nodes());
        }
        following.run();
    }

    /** Returns whether it has begun with the accept. */
    boolean isLed() {
        return lead.isPresent();
    }

    /** Returns its row. */
    RowQuorum row() {
        return row;
    }

    /** Returns the highest ballot that a replica has named: the next one must exceed it. */
    synchronized Version highest() {
        return highest;
    }

    /** Returns whether another proposer has a higher ballot, so that a repetition may succeed. */
    synchronized boolean isOutbid() {
        return isOutbid;
    }

    private void ask(Node node, OutboundRequest request) {
        // So that there is time left for the accept after a node that does not answer.
        CallContext limited = isForAll && request == prepare
                ? new CallContext(services.environment()::nanoTime, context.remainingNanos() / 2)
                : context;
        services.client()
                .ask(
                        node,
                        request,
                        limited,
                        ReplyHandler.of(observed, reply -> replied(node, reply), failure -> failed(request, failure)));
    }

    private void replied(Node node, Reply reply) {
        try {
            if (reply instanceof RegisterReply.Promised promise) {
                promised(node, promise);
            } else if (reply instanceof RegisterReply.Accepted accepting) {
                accepted(node, accepting.promisesNext());
            } else if (reply instanceof RegisterReply.Refused refused) {
                refused(node, refused.highest());
            }
        } catch (RuntimeException | Error e) {
            broken(e);
        }
    }

    private void promised(Node node, RegisterReply.Promised promise) {
        Runnable next;
        synchronized (this) {
            if (stage == Stage.OVER) {
                return;
            }
            promised.put(node.id(), node);
            promises.put(node.id(), promise);
            if (stage != Stage.PREPARE) {
                next = sendAccept(List.of(node));
            } else if (isPrepared()) {
                next = execute();
            } else {
                return;
            }
        }
        next.run();
    }

    /** Returns whether enough nodes have promised. Called with the lock held. */
    private boolean isPrepared() {
        return row.isReadQuorum(promised.keySet())
                && (!isForAll || promised.size() + failed.size() == row.nodes().size());
    }

    private Runnable sendAccept(List<Node> to) {
        OutboundRequest request = requireNonNull(accept);
        return () -> services.client().order().localLast(to, node -> ask(node, request));
    }

    /**
     * Executes the attempts on the highest accepted state. Called with the lock held.
     *
     * @return what follows, to be run without the lock
     */
    private Runnable execute() {
        Version purged = Register.NEVER_CHANGED;
        Optional<Entry> newest = Optional.empty();
        Version newestBallot = Register.NEVER_CHANGED;
        for (RegisterReply.Promised promise : promises.values()) {
            purged = max(purged, promise.purged());
            Version held = ballot(promise.held());
            if (held.compareTo(newestBallot) > 0 || (held.equals(newestBallot) && newest.isEmpty())) {
                newestBallot = held;
                newest = promise.held() instanceof Answer.Whole whole ? Optional.of(whole.entry()) : Optional.empty();
            }
        }
        boolean isAbsent = newestBallot.equals(Register.NEVER_CHANGED);
        if (newest.isEmpty() && !isAbsent) {
            stage = Stage.OVER;
            return () -> repeat(null, ErrorCode.FRAME_TOO_LARGE, "the register had no room in a reply");
        }
        return execute(
                newest.map(RegisterCodec::register).orElse(Register.absent(purged)),
                purged,
                List.copyOf(promised.values()));
    }

    /**
     * Executes the attempts. Called with the lock held.
     *
     * @param before the accepted state
     * @param acceptors the nodes that have promised the ballot
     * @return what follows, to be run without the lock
     */
    private Runnable execute(Register before, Version purged, List<Node> acceptors) {
        Register register = before;
        long now = services.environment().currentTimeMillis();
        List<Attempt> made = new ArrayList<>(attempts.size());
        List<Attempt> forgotten = new ArrayList<>(0);
        for (Attempt attempt : attempts) {
            register = attempt.execute(register, now, at(register, purged, attempt));
            (attempt.hasOutcome() ? made : forgotten).add(attempt);
        }
        attempts = made;
        Version last = max(register.newest(), purged);
        if (made.isEmpty()) {
            stage = Stage.OVER;
            return () -> {
                forgotten.forEach(attempt -> attempt.forgotten(last));
                done();
            };
        }
        made.forEach(Attempt::isProposed);
        stage = Stage.ACCEPT;
        proposal = new RegisterRequest.Accept(
                RegisterCodec.entry(key, ballot, register),
                services.versions().ballotAtOnce(ballot).orElse(RegisterRequest.Accept.NO_BALLOT));
        accept = OutboundRequest.of(proposal, row.token());
        Runnable send = sendAccept(acceptors);
        return () -> {
            forgotten.forEach(attempt -> attempt.forgotten(last));
            send.run();
        };
    }

    private static Version ballot(Answer answer) {
        if (answer instanceof Answer.Whole whole) {
            return whole.entry().version();
        }
        return answer instanceof Answer.VersionOnly only ? only.version() : Register.NEVER_CHANGED;
    }

    /** Returns a version above all that the register knows, and above the beginning of the operation. */
    private Version at(Register register, Version purged, Attempt attempt) {
        return services.versions().nextAbove(max(register.newest(), max(purged, attempt.operation.since())));
    }

    private static Version max(Version one, Version other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    private void accepted(Node node, boolean promisesNext) {
        List<Attempt> executed;
        synchronized (this) {
            accepted.add(node.id());
            if (promisesNext) {
                promisedNext.add(node.id());
            }
            if (stage != Stage.ACCEPT || !row.isWriteQuorum(accepted)) {
                return;
            }
            stage = Stage.CHOSEN;
            executed = attempts;
            RegisterRequest.Accept chosen = requireNonNull(proposal);
            if (!isOutbid && chosen.hasNext() && row.isReadQuorum(promisedNext)) {
                services.leads()
                        .put(new Leads.Lead(
                                chosen.next(), chosen.entry(), row.token().rowVersion()));
            }
        }
        try {
            executed.forEach(Attempt::succeed);
        } finally {
            done();
        }
    }

    private void refused(Node node, Version other) {
        boolean isBehind;
        synchronized (this) {
            highest = max(highest, other);
            isBehind =
                    isLed() && other.compareTo(ballot) <= 0 && behind.merge(node.id(), 1, Integer::sum) <= MOST_BEHIND;
            if (!isBehind) {
                isOutbid = true;
                if (proposal != null) {
                    services.leads().drop(key, proposal.next());
                }
            }
        }
        if (isBehind && other.equals(ballot)) {
            ask(node, requireNonNull(accept));
        } else if (isBehind) {
            ask(node, prepare);
        } else if (isLed()) {
            giveUp(ErrorCode.NOT_ENOUGH_REPLICAS, OUTBID);
        } else {
            lost(node.id(), null, ErrorCode.NOT_ENOUGH_REPLICAS, node.id() + ": " + OUTBID);
        }
    }

    private void failed(OutboundRequest request, PeerFailure failure) {
        boolean isStale = Replanning.isStale(failure, request.token());
        try {
            lost(failure.node(), isStale ? failure : null, failure.code(), failure.toString());
        } catch (RuntimeException | Error e) {
            broken(e);
        }
    }

    /** Counts a node that has no part in this round. */
    private void lost(NodeId node, @Nullable PeerFailure stale, ErrorCode code, String why) {
        Runnable next;
        synchronized (this) {
            failed.put(node, why);
            boolean isPossible = stage == Stage.PREPARE
                    ? row.canReachReadQuorum(failed.keySet())
                    : row.canReachWriteQuorum(failed.keySet());
            if (hasEnded()) {
                return;
            }
            if (!isPossible || stale != null) {
                String all = shown();
                stage = Stage.OVER;
                next = () -> repeat(stale, code, all);
            } else if (stage == Stage.PREPARE && isPrepared()) {
                next = execute();
            } else {
                return;
            }
        }
        next.run();
    }

    /** Returns which nodes it lacks and why. Called with the lock held, before its end. */
    private String shown() {
        Set<NodeId> answered = stage == Stage.PREPARE ? promised.keySet() : accepted;
        StringBuilder text = new StringBuilder(row.shown(answered, stage == Stage.PREPARE));
        for (Node node : row.nodes()) {
            if (failed.containsKey(node.id())) {
                text.append("; ").append(failed.get(node.id()));
            } else if (!answered.contains(node.id())) {
                text.append("; ").append(node.id()).append(" has not answered");
            }
        }
        return text.toString();
    }

    private void expire() {
        String all;
        synchronized (this) {
            if (hasEnded()) {
                return;
            }
            all = shown();
        }
        giveUp(ErrorCode.NO_REPLY, all);
    }

    void broken(Throwable e) {
        giveUp(ErrorCode.INTERNAL, "a round has failed: " + e);
    }

    private void giveUp(ErrorCode code, String why) {
        synchronized (this) {
            if (hasEnded()) {
                return;
            }
            stage = Stage.OVER;
        }
        repeat(null, code, why);
    }

    /** Returns whether its end was reported, or is about to be. Called with the lock held. */
    private boolean hasEnded() {
        return stage == Stage.CHOSEN || stage == Stage.OVER;
    }

    private void done() {
        cancelTimer();
        end.isDone();
    }

    private void repeat(@Nullable PeerFailure stale, ErrorCode code, String why) {
        cancelTimer();
        end.mustRepeat(stale, code, why);
    }

    private void cancelTimer() {
        Environment.Timer running = timer;
        if (running != null) {
            running.cancel();
        }
    }
}
