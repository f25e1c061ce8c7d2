package io.dht4j.core.internal.coordinator.atomic;

import io.dht4j.AtomicChange;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.IndeterminateException;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.RequestId;
import io.dht4j.UnavailableException;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.AtomicSpace;
import io.dht4j.core.internal.atomic.Executed;
import io.dht4j.core.internal.atomic.Operation;
import io.dht4j.core.internal.atomic.Register;
import io.dht4j.core.internal.clock.VersionSource;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.peer.OutboundRequest;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.wire.RegisterReply;
import io.dht4j.core.internal.wire.RegisterRequest;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Environment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * The atomic operations of a node's callers. Each is sent to the proposer that all nodes prefer, the first node of the
 * key's row that answers. If the outcome of an attempt is unknown, the operation is sent again, to the next node, under
 * the same id: so it is executed once. Reads ask the replicas themselves, in one round if they agree. Does not block;
 * safe for use by any number of threads.
 */
public final class RegisterCalls {

    /** How long an attempt may take before the operation is sent to the next node too. */
    private static final long ATTEMPT_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

    /** The part of a call's time that is kept for the answer to its last attempt, unless that is over a tenth. */
    private static final long WAY_BACK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long UNIFY_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Leaves the bits of an id that do not count. */
    private static final int CLIENT_SHIFT = 52;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final RegisterServices services;
    private final Proposer proposer;
    private final RegisterMembers members;
    /** Random, so that no other node has the same ids. */
    private final long client;

    private final AtomicLong sequence = new AtomicLong();

    /**
     * Creates the calls of a node.
     *
     * @param components the components of the node
     * @param replicas asks the replicas
     * @param versions issues ballots and revisions
     * @param isUsed whether this node has ever served a register
     */
    public RegisterCalls(
            NodeComponents components, ReplicaClient replicas, VersionSource versions, BooleanSupplier isUsed) {
        this.services = new RegisterServices(components, replicas, versions);
        this.proposer = new Proposer(services);
        this.members = new RegisterMembers(services, isUsed);
        this.client = components.environment().random().nextLong();
    }

    /**
     * Returns the proposer of this node, which serves the other nodes too.
     *
     * @return the proposer
     */
    public Proposer proposer() {
        return proposer;
    }

    /**
     * Executes an operation.
     *
     * @param key the key, in the space of registers
     * @param change what it does
     * @param given the id of an operation that may have been attempted before; empty for a new one
     * @param context the deadline
     * @return completes with its outcome, also if its condition does not hold. Fails with
     *     {@link InvalidRequestException} in a cluster of a fixed list, with {@link UnavailableException} if this call
     *     has certainly not executed it, and with an {@link IndeterminateException} that has its id if that is unknown
     */
    public CompletableFuture<RegisterReply.Outcome> execute(
            Key key, AtomicChange change, Optional<RequestId> given, CallContext context) {
        if (!services.components().view().hasRowVersions()) {
            return CompletableFuture.failedFuture(new InvalidRequestException(
                    ErrorCode.BAD_REQUEST,
                    "atomic operations need a cluster that agrees on its nodes: restart all nodes with"
                            + " Membership.bootstrap in place of the fixed list"));
        }
        Call call = new Call(key, change, given, context);
        call.start();
        return call.result;
    }

    /**
     * Lets the replicas of a register agree on its chosen state, which becomes absent first if it has expired.
     *
     * @param key the key, in the space of registers
     * @return completes once a majority has accepted it, and the other replicas that answer have been asked to; fails
     *     with {@link DhtException} if that has not been reached in time
     */
    public CompletableFuture<Void> unify(Key key) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        try {
            Operation read = new Operation(newId(now()), AtomicChange.read());
            CallContext context = new CallContext(services.environment()::nanoTime, UNIFY_NANOS);
            proposer.unify(key, read, context, reply -> {
                if (reply instanceof Reply.Failed failed) {
                    result.completeExceptionally(DhtException.of(failed.code(), failed.message()));
                } else {
                    result.complete(null);
                }
            });
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(e);
        }
        return result;
    }

    /**
     * Returns the time at which an operation begins, by the wall clock: the hybrid clock may be too far ahead for
     * others, after the wall clock was.
     */
    private long now() {
        return Math.max(0, services.environment().currentTimeMillis());
    }

    private RequestId newId(long millis) {
        return RequestId.of(millis, client >>> CLIENT_SHIFT, client + sequence.incrementAndGet());
    }

    private final class Call {

        private final Key key;
        private final AtomicChange change;
        private final boolean isGiven;
        private final CallContext context;
        private final CompletableFuture<RegisterReply.Outcome> result = new CompletableFuture<>();

        // Guarded by this.
        private Operation operation;
        /** Whether an attempt under the current id was sent whose end is unknown. */
        private boolean mayBeDone;

        private int attempts;
        private int inFlight;
        private String last = "no node has answered";

        Call(Key key, AtomicChange change, Optional<RequestId> given, CallContext context) {
            this.key = key;
            this.change = change;
            this.isGiven = given.isPresent();
            this.context = context;
            this.operation = new Operation(given.orElseGet(() -> newId(now())), change);
        }

        void start() {
            Environment.Timer deadline =
                    services.environment().schedule(this::end, Math.max(0, context.remainingNanos()));
            result.whenComplete((outcome, error) -> deadline.cancel());
            guarded(this::begin);
        }

        private void begin() {
            if (!members.isKnown()) {
                members.ask().thenAccept(answer -> guarded(() -> announced(answer)));
            } else if (change.kind() == AtomicChange.Kind.READ) {
                RegisterRead.start(services, key, limited(), found -> guarded(() -> read(found)));
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
            synchronized (this) {
                last = answer.why();
            }
            if (answer.obstacle() == RegisterMembers.Obstacle.EARLIER || context.isExpired()) {
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
            Operation sent;
            int number;
            synchronized (this) {
                sent = operation;
                number = attempts++;
            }
            if (number > 0 && context.remainingNanos() < WAY_BACK_NANOS) {
                // An attempt whose end comes after that of the call would leave it unknown.
                end();
                return;
            }
            List<Node> nodes = proposers();
            if (nodes.isEmpty() || result.isDone()) {
                again(nodes.size(), number);
                return;
            }
            synchronized (this) {
                inFlight++;
            }
            Node node = nodes.get(number % nodes.size());
            CallContext limited = limited();
            if (services.client().order().isLocal(node)) {
                proposer.execute(key, sent, limited, reply -> guarded(() -> answered(reply, nodes.size(), number)));
            } else {
                services.client()
                        .ask(
                                node,
                                OutboundRequest.alone(new RegisterRequest.Execute(key, sent)),
                                limited,
                                ReplyHandler.of(
                                        reply -> guarded(() -> answered(reply, nodes.size(), number)),
                                        failure -> guarded(() -> failed(failure, nodes.size(), number))));
            }
        }

        /** Returns the deadline of an attempt: so early that its end is known by the deadline of the call. */
        private CallContext limited() {
            long remaining = context.remainingNanos();
            long wayBack = Math.min(WAY_BACK_NANOS, remaining / 10);
            return new CallContext(services.environment()::nanoTime, Math.min(ATTEMPT_NANOS, remaining - wayBack));
        }

        /** Returns the nodes of the row in the order in which all coordinators prefer them as proposers. */
        private List<Node> proposers() {
            ClusterView view = services.components().view();
            List<Node> nodes = new ArrayList<>(view.complete(view.partitionOf(key)));
            nodes.sort(Comparator.comparing(services.client().order()::isSuspected));
            return nodes;
        }

        private void answered(Reply reply, int nodes, int number) {
            synchronized (this) {
                inFlight--;
            }
            if (reply instanceof RegisterReply.Outcome outcome) {
                result.complete(outcome);
            } else if (reply instanceof RegisterReply.Unknown unknown) {
                forgotten(unknown.newest());
            } else if (reply instanceof Reply.Failed failed) {
                missed(failed.code() == ErrorCode.NO_REPLY, failed.code(), failed.message(), nodes, number);
            }
        }

        private void failed(PeerFailure failure, int nodes, int number) {
            synchronized (this) {
                inFlight--;
            }
            missed(!failure.nothingDone(), failure.code(), failure.toString(), nodes, number);
        }

        private void missed(boolean isUnknown, ErrorCode code, String why, int nodes, int number) {
            boolean isRefused;
            synchronized (this) {
                mayBeDone |= isUnknown;
                last = why;
                // A queue that is full stays so for a while, and other proposers would only disturb it.
                isRefused = !mayBeDone
                        && inFlight == 0
                        && (code.action() == ErrorCode.Action.FIX_REQUEST
                                || code.action() == ErrorCode.Action.BACK_OFF);
            }
            if (isRefused) {
                result.completeExceptionally(DhtException.of(code, why));
            } else if (code == ErrorCode.DEADLINE_PASSED && !isUnknown) {
                // It works on others of the key: a second proposer would only disturb it.
                synchronized (this) {
                    attempts = number;
                }
                again(1, 0);
            } else {
                again(nodes, number);
            }
        }

        /** Sends the operation to the next node; after all nodes, with a pause. */
        private void again(int nodes, int number) {
            if (result.isDone()) {
                return;
            }
            if (context.isExpired()) {
                end();
            } else if (nodes > 0 && (number + 1) % nodes > 0) {
                attempt();
            } else {
                services.environment().schedule(() -> guarded(this::attempt), PAUSE_NANOS);
            }
        }

        /** The register remembers no operations as old as this one: a new one has another id, and begins now. */
        private void forgotten(Version newest) {
            boolean isUnknown;
            boolean isAgain;
            synchronized (this) {
                isUnknown = mayBeDone;
                isAgain = !mayBeDone && !isGiven;
                if (isAgain) {
                    operation = new Operation(newId(Math.max(now(), newest.millis() + 1)), change);
                    attempts = 0;
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
                result.completeExceptionally(new IndeterminateException(
                                ErrorCode.INTERNAL, "an atomic operation has failed unexpectedly: " + e)
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
                            ? new IndeterminateException(
                                            ErrorCode.NO_REPLY, "the operation may be executed or not: " + why)
                                    .withRequestId(id)
                            : new UnavailableException(ErrorCode.NOT_ENOUGH_REPLICAS, "nothing done: " + why));
        }
    }
}
