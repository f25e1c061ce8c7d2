package io.dht4j.core.internal.membership.agreed.log;

import io.dht4j.PrintableText;
import io.dht4j.core.internal.membership.codec.CommandCodec;
import io.dht4j.core.internal.membership.codec.MalformedStateException;
import io.dht4j.core.internal.membership.codec.StateCodec;
import io.dht4j.core.internal.membership.command.CommandResult;
import io.dht4j.core.internal.membership.command.StateMachine;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.wire.MembershipReply.Appended;
import io.dht4j.core.internal.wire.MembershipReply.Outcome;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.spi.TopologyLog;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state machine that a topology log replicates: {@link StateMachine} over encoded commands. The effect of a command
 * depends only on its bytes and the state before. Bytes that are no command are refused, in the same way by every
 * member. Methods of the log are called on its lane; others are safe for use by any number of threads.
 */
public final class ReplicatedState implements TopologyLog.Applier {

    private static final Logger LOG = LoggerFactory.getLogger(ReplicatedState.class);

    /** More than the maximum number of waiting appends of the log. */
    private static final int KEPT_RESULTS = 1024;

    private final Consumer<ClusterState> listener;
    private final Consumer<Boolean> leadership;
    private volatile Optional<ClusterState> state = Optional.empty();
    private volatile long applied;

    /** Slightly more than the number of callers that repeat a command at a time. */
    private static final int KEPT_ACCEPTED = 64;

    /** The newest results by index, without the resulting states. Guarded by itself. */
    private final Map<Long, Appended> results = new LinkedHashMap<>();

    /** The newest accepted commands and their results. Guarded by the results. */
    private final Map<ByteBuffer, Appended> accepted = new LinkedHashMap<>();

    /**
     * Creates the machine of a cluster that is not formed.
     *
     * @param listener receives each new state, in order, on the log's lane; must not block
     * @param leadership receives whether this member leads
     */
    public ReplicatedState(Consumer<ClusterState> listener, Consumer<Boolean> leadership) {
        this.listener = listener;
        this.leadership = leadership;
    }

    @Override
    public void apply(long index, byte[] command) {
        applied = index;
        CommandResult result = resultOf(command);
        keep(index, command, appended(result));
        if (result instanceof CommandResult.Accepted accepted) {
            changed(accepted.state());
        }
    }

    /**
     * Keeps a result. A copy of an accepted command is stale, but gets the result of the first one: the caller that
     * repeats it has not received that. The state does not depend on this, so members may remember different results.
     */
    private void keep(long index, byte[] bytes, Appended result) {
        ByteBuffer command = ByteBuffer.wrap(bytes);
        synchronized (results) {
            Appended first = result.outcome() == Outcome.STALE ? accepted.get(command) : null;
            results.put(index, first == null ? result : first);
            // Larger ones are the first commands of logs, for which no caller waits.
            if (result.outcome() == Outcome.ACCEPTED && bytes.length <= MembershipRequest.MAX_BYTES) {
                accepted.put(command, result);
            }
            dropOldest(results, KEPT_RESULTS);
            dropOldest(accepted, KEPT_ACCEPTED);
        }
    }

    private static Appended appended(CommandResult result) {
        if (result instanceof CommandResult.Accepted accepted) {
            return new Appended(Outcome.ACCEPTED, accepted.state().epoch(), "", Optional.empty());
        }
        CommandResult.Refused refused = (CommandResult.Refused) result;
        return new Appended(refused.stale() ? Outcome.STALE : Outcome.REFUSED, 0, refused.reason(), Optional.empty());
    }

    private static void dropOldest(Map<?, ?> map, int most) {
        if (map.size() > most) {
            map.remove(map.keySet().iterator().next());
        }
    }

    private CommandResult resultOf(byte[] command) {
        try {
            return StateMachine.apply(state, CommandCodec.decode(command));
        } catch (MalformedStateException e) {
            return new CommandResult.Refused(
                    false,
                    "the command cannot be read (" + PrintableText.of(String.valueOf(e.getMessage()))
                            + "): send it from a node of the same version");
        } catch (RuntimeException e) {
            // An error of the pure function occurs on every member. If it stopped the members, none could ever start
            // again.
            LOG.error("a command is refused, since the transition fails", e);
            return new CommandResult.Refused(
                    false, "the command leads to no valid state: " + PrintableText.of(String.valueOf(e.getMessage())));
        }
    }

    @Override
    public byte[] snapshot() {
        return state.map(StateCodec::encode).orElseGet(() -> new byte[0]);
    }

    @Override
    public void restore(long index, byte[] snapshot) {
        applied = index;
        if (snapshot.length == 0) {
            state = Optional.empty();
            return;
        }
        try {
            changed(StateCodec.decode(snapshot));
        } catch (MalformedStateException e) {
            // The log stops: this member no longer has the agreed state.
            throw new IllegalStateException("the snapshot of the agreed state cannot be read: " + e.getMessage(), e);
        }
    }

    private void changed(ClusterState next) {
        state = Optional.of(next);
        listener.accept(next);
    }

    @Override
    public void leadershipChanged(boolean leads) {
        leadership.accept(leads);
    }

    /** Returns the newest agreed state that this member has applied; empty before the cluster is formed. */
    public Optional<ClusterState> state() {
        return state;
    }

    /** Returns the index up to which this member has applied the log; 0 at first. */
    public long applied() {
        return applied;
    }

    /**
     * Returns the result of a command that this member has applied.
     *
     * @param index the index that its append returned
     * @return empty if it is too long ago, or a snapshot came in its place
     */
    public Optional<Appended> result(long index) {
        synchronized (results) {
            return Optional.ofNullable(results.get(index));
        }
    }
}
