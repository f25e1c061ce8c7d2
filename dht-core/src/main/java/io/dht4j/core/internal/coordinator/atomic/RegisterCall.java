package io.dht4j.core.internal.coordinator.atomic;

import static java.util.Objects.requireNonNull;

import io.dht4j.AtomicChange;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.IndeterminateException;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.RequestId;
import io.dht4j.UnavailableException;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.AtomicSpace;
import io.dht4j.core.internal.atomic.Executed;
import io.dht4j.core.internal.atomic.Operation;
import io.dht4j.core.internal.atomic.Register;
import io.dht4j.core.internal.coordinator.peer.OutboundRequest;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.wire.RegisterReply;
import io.dht4j.core.internal.wire.RegisterRequest;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Environment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a caller, until its outcome is known or its time is over. It is attempted at one proposer at a time,
 * under one id, and attempted elsewhere only if that one is silent. Safe for use by any number of threads.
 */
final class RegisterCall {

    /** How long a read waits for the replicas before it is made by a proposer. */
    private static final long READ_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

    /**
     * How long an attempt may take at a proposer that answers other requests. A slow proposer is kept: a second one
     * would only disturb it, until the register has forgotten operations whose outcome is unknown.
     */
    private static final long ATTEMPT_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** How often a call looks whether its proposer has become silent. */
    private static final long WATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The part of a call's time that is kept for the answer to its last attempt, unless that is over a tenth. */
    private static final long WAY_BACK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** One attempt; compared by identity. */
    private static final class Sent {

        final Node node;
        final Operation operation;

        Sent(Node node, Operation operation) {
            this.node = node;
            this.operation = operation;
        }
    }

    private final RegisterCalls calls;
    private final RegisterServices services;
    private final Key key;
    private final AtomicChange change;
    private final boolean isGiven;
    private final CallContext context;
    private final @Nullable ObservedCall observed;
    private final CompletableFuture<RegisterReply.Outcome> result = new CompletableFuture<>();

    // Guarded by this.
    private Operation operation;
    /** Whether an attempt under the current id was sent whose end is unknown. */
    private boolean mayBeDone;

    /** The nodes that were asked since the last pause. */
    private final List<NodeId> asked = new ArrayList<>(2);
    /** The latest attempt, until it ends or is left for the next one. */
    private @Nullable Sent current;
    /** The attempt whose proposer was suspected when that was last looked at. */
    private @Nullable Sent doubted;

    private boolean wasSent;
    /** Whether a proposer was too busy to begin an attempt. */
    private boolean wasBusy;

    private int inFlight;
    private String last = "no node has answered";
    /** Whether that tells what a proposer has heard of the replicas: more than that a proposer is not reached. */
    private boolean isLastOfReplicas;

    private volatile Environment.@Nullable Timer timer;

    RegisterCall(
            RegisterCalls calls,
            Key key,
            AtomicChange change,
            Optional<RequestId> given,
            CallContext context,
            @Nullable ObservedCall observed) {
        this.calls = calls;
        this.services = calls.services;
        this.key = key;
        this.change = change;
        this.isGiven = given.isPresent();
        this.context = context;
        this.observed = observed;
        this.operation = new Operation(given.orElseGet(() -> calls.newId(calls.now())), change);
    }

    CompletableFuture<RegisterReply.Outcome> start() {
        watch();
        result.whenComplete((outcome, error) -> cancelTimer());
        guarded(this::begin);
        return result;
    }

    private void cancelTimer() {
        Environment.Timer running = timer;
        if (running != null) {
            running.cancel();
        }
    }

    /** Ends the call at its deadline, and before that each attempt at a proposer that is silent. */
    private void watch() {
        long remaining = context.remainingNanos();
        if (result.isDone()) {
            return;
        }
        if (remaining <= 0) {
            end();
            return;
        }
        timer = services.environment().schedule(() -> guarded(this::watch), Math.min(remaining, WATCH_NANOS));
        if (leavesSilent()) {
            attempt();
        }
    }

    /**
     * Leaves a proposer that is suspected at two successive looks, between which it was pinged, if another one is not.
     */
    private synchronized boolean leavesSilent() {
        Sent sent = current;
        boolean isSuspected = sent != null && services.client().order().isSuspected(sent.node);
        boolean isSilent = isSuspected && doubted == sent;
        doubted = isSuspected ? sent : null;
        if (!isSilent || next(false).isEmpty()) {
            return false;
        }
        current = null;
        tell(requireNonNull(sent).node.id() + " does not answer", false);
        return true;
    }

    private void begin() {
        if (!calls.members.isKnown()) {
            calls.members.ask().thenAccept(answer -> guarded(() -> announced(answer)));
        } else if (change.kind() == AtomicChange.Kind.READ) {
            RegisterRead.start(services, key, limited(READ_NANOS), observed, found -> guarded(() -> read(found)));
        } else {
            attempt();
        }
    }

    /** Waits for members that do not answer, but for none to be upgraded. */
    private void announced(RegisterMembers.Answer answer) {
        if (answer.obstacle() == RegisterMembers.Obstacle.NONE) {
            begin();
            return;
        }
        tell(answer.why(), true);
        if (answer.obstacle() == RegisterMembers.Obstacle.EARLIER
                || context.isExpired()
                || services.closing().get()) {
            end();
        } else if (!result.isDone()) {
            services.environment().schedule(() -> guarded(this::begin), PAUSE_NANOS);
        }
    }

    private void read(Optional<Register> found) {
        long now = services.environment().currentTimeMillis();
        if (found.isPresent() && !found.get().isExpired(now)) {
            Executed executed = new Executed(
                    operation.id(),
                    operation.digest(),
                    found.get().revision(),
                    Executed.Outcome.DONE,
                    Operation.number(found.get()));
            result.complete(new RegisterReply.Outcome(executed, found.get()));
        } else {
            attempt();
        }
    }

    private void attempt() {
        Optional<Node> next = next();
        Sent sent;
        synchronized (this) {
            if (result.isDone()) {
                return;
            }
            // An attempt whose end comes after that of the call would leave it unknown.
            boolean isLate = wasSent && context.remainingNanos() < WAY_BACK_NANOS;
            if (isLate || (next.isEmpty() && services.closing().get())) {
                sent = null;
            } else if (next.isEmpty()) {
                pause();
                return;
            } else {
                sent = new Sent(next.get(), operation);
                current = sent;
                asked.add(sent.node.id());
                wasSent = true;
                inFlight++;
            }
        }
        if (sent == null) {
            end();
        } else {
            send(sent);
        }
    }

    private void send(Sent sent) {
        CallContext limited = limited(ATTEMPT_NANOS);
        if (services.client().order().isLocal(sent.node)) {
            calls.proposer.execute(
                    key, sent.operation, limited, observed, reply -> guarded(() -> answered(reply, sent)));
        } else {
            services.counts().forwarded();
            services.client()
                    .ask(
                            sent.node,
                            OutboundRequest.alone(new RegisterRequest.Execute(key, sent.operation)),
                            limited,
                            ReplyHandler.of(
                                    observed,
                                    reply -> guarded(() -> answered(reply, sent)),
                                    failure -> guarded(() -> failed(failure, sent))));
        }
    }

    /**
     * Returns the proposer that is asked next: the first one in the order of all coordinators, suspected nodes last,
     * that was not asked yet; empty once all were, so that the call pauses before it asks them again.
     */
    private synchronized Optional<Node> next() {
        Optional<Node> next = next(false).or(() -> next(true));
        if (next.isEmpty()) {
            asked.clear();
        }
        return next;
    }

    private synchronized Optional<Node> next(boolean isSuspected) {
        ClusterView view = services.components().view();
        for (Node node : view.complete(view.partitionOf(key))) {
            if (services.client().order().isSuspected(node) == isSuspected && !asked.contains(node.id())) {
                return Optional.of(node);
            }
        }
        return Optional.empty();
    }

    /** Returns a deadline so early that the end is known by the deadline of the call. */
    private CallContext limited(long mostNanos) {
        long remaining = context.remainingNanos();
        long wayBack = Math.min(WAY_BACK_NANOS, remaining / 10);
        return new CallContext(services.environment()::nanoTime, Math.min(mostNanos, remaining - wayBack));
    }

    private void answered(Reply reply, Sent sent) {
        boolean isLatest = ended(sent);
        if (reply instanceof RegisterReply.Outcome outcome) {
            result.complete(outcome);
        } else if (reply instanceof RegisterReply.Unknown unknown) {
            // Of an attempt that was left, it says nothing about the latest one.
            if (isLatest) {
                forgotten(unknown.newest());
            }
        } else if (reply instanceof Reply.Failed failed) {
            tell(failed.message(), failed.code() != ErrorCode.DEADLINE_PASSED);
            missed(failed.code() == ErrorCode.NO_REPLY, failed.code(), failed.message(), sent, isLatest);
        }
    }

    private void failed(PeerFailure failure, Sent sent) {
        tell(failure.toString(), isAnswer(failure.code()));
        missed(!failure.nothingDone(), failure.code(), failure.toString(), sent, ended(sent));
    }

    /** Returns whether a proposer has answered what it has heard of the replicas, or what it lacks itself. */
    private static boolean isAnswer(ErrorCode code) {
        return switch (code) {
            case NOT_SENT, NO_REPLY, DEADLINE_PASSED, NOT_SERVING -> false;
            default -> true;
        };
    }

    /** Notes the reason for a failure, unless it is a lesser one. */
    private synchronized void tell(String why, boolean isOfReplicas) {
        if (isOfReplicas || !isLastOfReplicas) {
            last = why;
            isLastOfReplicas = isOfReplicas;
        }
    }

    /** Notes the end of an attempt. Returns whether the call has waited for this one. */
    private synchronized boolean ended(Sent sent) {
        inFlight--;
        boolean isLatest = current == sent;
        current = isLatest ? null : current;
        return isLatest;
    }

    private void missed(boolean isUnknown, ErrorCode code, String why, Sent sent, boolean isLatest) {
        boolean isRefused;
        boolean isBusy;
        synchronized (this) {
            // The proposer works on other operations on the key, so that a second one would only disturb it; but it
            // may be unable to issue ballots.
            isBusy = code == ErrorCode.DEADLINE_PASSED && !isUnknown && !wasBusy;
            wasBusy |= isBusy;
            mayBeDone |= isUnknown;
            // A queue that is full stays so for a while.
            isRefused = !mayBeDone
                    && inFlight == 0
                    && (code.action() == ErrorCode.Action.FIX_REQUEST || code.action() == ErrorCode.Action.BACK_OFF);
            if (isBusy) {
                asked.remove(sent.node.id());
            }
        }
        if (isRefused) {
            result.completeExceptionally(DhtException.of(code, why));
        } else if (isLatest && isBusy) {
            pause();
        } else if (isLatest) {
            attempt();
        }
    }

    private void pause() {
        services.environment().schedule(() -> guarded(this::attempt), PAUSE_NANOS);
    }

    /** The register remembers no operations as old as this one: a new one has another id, and begins now. */
    private void forgotten(Version newest) {
        boolean isUnknown;
        boolean isAgain;
        synchronized (this) {
            isUnknown = mayBeDone || inFlight > 0;
            isAgain = !isUnknown && !isGiven;
            if (isAgain) {
                operation = new Operation(calls.newId(Math.max(calls.now(), newest.millis() + 1)), change);
                asked.clear();
            }
        }
        if (isAgain) {
            attempt();
        } else {
            // This call has not executed it, unless one of its attempts is unknown.
            result.completeExceptionally(new IndeterminateException(
                            isUnknown ? ErrorCode.NO_REPLY : ErrorCode.REQUEST_FORGOTTEN,
                            "key " + AtomicSpace.shown(key) + " has forgotten whether the operation was executed: "
                                    + (isUnknown
                                            ? "too many others have followed it"
                                            : "its request id is too old, or the clock of its caller is behind"))
                    .withRequestId(operation.id()));
        }
    }

    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(
                    new IndeterminateException(ErrorCode.INTERNAL, "an atomic operation has failed unexpectedly: " + e)
                            .withRequestId(operation.id()));
        }
    }

    /** Fails, unless it has ended. */
    private void end() {
        boolean isUnknown;
        RequestId id;
        String why;
        synchronized (this) {
            isUnknown = mayBeDone || inFlight > 0;
            id = operation.id();
            why = last;
        }
        boolean changes = change.kind() != AtomicChange.Kind.READ;
        result.completeExceptionally(
                isUnknown && changes
                        ? new IndeterminateException(ErrorCode.NO_REPLY, "the operation may be executed or not: " + why)
                                .withRequestId(id)
                        : new UnavailableException(ErrorCode.NOT_ENOUGH_REPLICAS, "nothing done: " + why));
    }
}
