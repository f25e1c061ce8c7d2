package io.dht4j.core.internal.coordinator.atomic;

import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.Register;
import io.dht4j.core.internal.atomic.RegisterCodec;
import io.dht4j.core.internal.coordinator.peer.OutboundRequest;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A read of a register in one round: a state that a majority of slots has accepted at one ballot is chosen. If they
 * hold different ones, only a round of a proposer finds the chosen one.
 */
final class RegisterRead {

    private final RegisterServices services;
    private final Key key;
    private final CallContext context;
    private final @Nullable ObservedCall observed;
    private final Consumer<Optional<Register>> done;
    private final RowQuorum row;
    /** Whether the answers come in replies of their own, which have room for any state. */
    private final boolean isAlone;

    /** Set before any request. */
    private volatile Environment.@Nullable Timer timer;

    // Guarded by this.
    private final Map<Version, Set<NodeId>> holders = new HashMap<>();
    private final Map<Version, Entry> states = new HashMap<>();
    private final Set<NodeId> ended = new HashSet<>();
    private Version purged = Register.NEVER_CHANGED;
    private boolean isOver;

    private RegisterRead(
            RegisterServices services,
            Key key,
            CallContext context,
            @Nullable ObservedCall observed,
            Consumer<Optional<Register>> done,
            boolean isAlone) {
        this.services = services;
        this.key = key;
        this.context = context;
        this.observed = observed;
        this.done = done;
        this.row = services.row(key);
        this.isAlone = isAlone;
    }

    /**
     * Reads a register.
     *
     * @param observed the call that it belongs to; null without an observer
     * @param done receives the register; empty if it must be read by a proposer
     */
    static void start(
            RegisterServices services,
            Key key,
            CallContext context,
            @Nullable ObservedCall observed,
            Consumer<Optional<Register>> done) {
        new RegisterRead(services, key, context, observed, done, false).start();
    }

    private void start() {
        // A store of this node may hang, and no timer ends a local request.
        timer = services.environment().schedule(this::expire, Math.max(0, context.remainingNanos()));
        RegisterRequest read = new RegisterRequest.Read(key);
        OutboundRequest request =
                isAlone ? OutboundRequest.alone(read, row.token()) : OutboundRequest.of(read, row.token());
        services.client()
                .order()
                .localLast(
                        row.nodes(),
                        node -> services.client()
                                .ask(
                                        node,
                                        request,
                                        context,
                                        ReplyHandler.of(observed, reply -> replied(node, reply), this::failed)));
    }

    private void replied(Node node, Reply reply) {
        RegisterReply.Held held = (RegisterReply.Held) reply;
        Optional<Register> found = Optional.empty();
        boolean hasNoRoom = false;
        synchronized (this) {
            ended.add(node.id());
            Version ballot = ballot(held.held());
            Set<NodeId> same = holders.computeIfAbsent(ballot, each -> new HashSet<>());
            same.add(node.id());
            purged = held.purged().compareTo(purged) > 0 ? held.purged() : purged;
            if (held.held() instanceof Answer.Whole whole) {
                states.put(ballot, whole.entry());
            }
            if (isOver) {
                return;
            }
            if (isChosen(same)) {
                found = register(ballot);
                hasNoRoom = found.isEmpty() && !states.containsKey(ballot);
            } else if (!isHopeless()) {
                return;
            }
            isOver = true;
        }
        if (hasNoRoom && !isAlone) {
            cancelTimer();
            new RegisterRead(services, key, context, observed, done, true).start();
        } else {
            end(found);
        }
    }

    private void expire() {
        synchronized (this) {
            if (isOver) {
                return;
            }
            isOver = true;
        }
        end(Optional.empty());
    }

    private void end(Optional<Register> found) {
        cancelTimer();
        done.accept(found);
    }

    private void cancelTimer() {
        Environment.Timer running = timer;
        if (running != null) {
            running.cancel();
        }
    }

    /** Returns whether the state is chosen that some nodes hold. */
    private boolean isChosen(Set<NodeId> holders) {
        return row.isReadQuorum(holders);
    }

    private void failed(PeerFailure failure) {
        synchronized (this) {
            ended.add(failure.node());
            if (isOver || !isHopeless()) {
                return;
            }
            isOver = true;
        }
        end(Optional.empty());
    }

    /** Returns whether no ballot can have a majority. */
    private boolean isHopeless() {
        List<NodeId> open = row.nodes().stream()
                .map(Node::id)
                .filter(node -> !ended.contains(node))
                .toList();
        if (row.isReadQuorum(open)) {
            return false;
        }
        return holders.values().stream().noneMatch(same -> {
            List<NodeId> possible = new ArrayList<>(same);
            possible.addAll(open);
            return row.isReadQuorum(possible);
        });
    }

    private static Version ballot(Answer answer) {
        if (answer instanceof Answer.Whole whole) {
            return whole.entry().version();
        }
        return answer instanceof Answer.VersionOnly only ? only.version() : Register.NEVER_CHANGED;
    }

    /** Returns the state of a ballot; empty if no answer had room for it, or it cannot be read. */
    private Optional<Register> register(Version ballot) {
        if (ballot.equals(Register.NEVER_CHANGED)) {
            return Optional.of(Register.absent(purged));
        }
        try {
            return Optional.ofNullable(states.get(ballot)).map(RegisterCodec::register);
        } catch (IllegalArgumentException e) {
            // A round meets it too, and reports it.
            return Optional.empty();
        }
    }
}
