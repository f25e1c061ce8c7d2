package io.dht4j.testkit.topology;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.Environment;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLog;
import io.dht4j.spi.TopologyLogException;
import io.dht4j.spi.TopologyLogException.Outcome;
import io.dht4j.testkit.topology.ModelMessages.Kind;
import io.dht4j.testkit.topology.ModelMessages.Message;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A perfect topology log, for tests of those who use one, in virtual time. The logs of a {@link ModelTopologyGroup}
 * share their memory, as if no disk ever failed. They send messages only to learn whom they reach: the leader agrees on
 * a command as soon as a majority has answered. So cut links and ended members have the same effect as on a real log.
 *
 * <p>Confined to the thread of the virtual environment.
 */
public final class ModelTopologyLog implements TopologyLog {

    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final int MOST_WAITING = 256;

    private final ModelTopologyGroup group;
    private final NodeRef self;
    private final Environment environment;
    private final boolean isNew;
    private final CompletableFuture<String> failure = new CompletableFuture<>();
    private final List<Call<?>> calls = new ArrayList<>();
    private final ModelMessages messages;
    private @Nullable Applier applier;
    private @Nullable Wire wire;
    private long applied;
    private long round;
    private final Set<NodeRef> answered = new HashSet<>();
    private long askedNanos;
    private long heardNanos;
    private boolean everHeard;
    private long malformed;
    private boolean leading;
    private boolean ended;

    /** A call, with its completion once a majority has answered a question that was sent after its begin. */
    private static final class Call<T> {
        private final CompletableFuture<T> future = new CompletableFuture<>();
        private final long round;
        private final @Nullable List<NodeRef> wanted;
        private final byte @Nullable [] command;

        Call(long round, byte @Nullable [] command, @Nullable List<NodeRef> wanted) {
            this.round = round;
            this.command = command;
            this.wanted = wanted;
        }
    }

    /**
     * Opens a member's log.
     *
     * @param group the shared state of the members
     * @param self this member
     * @param environment a virtual environment
     */
    public ModelTopologyLog(ModelTopologyGroup group, NodeRef self, Environment environment) {
        this.group = group;
        this.self = self;
        this.environment = environment;
        this.messages = new ModelMessages(self);
        this.isNew = group.begin(self);
    }

    @Override
    public boolean isNew() {
        return isNew;
    }

    @Override
    public long durableIndex() {
        return group.durableIndex(self);
    }

    @Override
    public void start(Applier commands, Wire carrier) {
        if (applier != null || ended) {
            throw new IllegalStateException("the log of " + self + (ended ? " is closed" : " was started before"));
        }
        applier = commands;
        wire = carrier;
        environment.executor().execute(this::tick);
    }

    private boolean isMember() {
        return group.members.contains(self);
    }

    private void tick() {
        if (ended) {
            return;
        }
        ask();
        lead();
        environment.schedule(this::tick, TICK_NANOS);
    }

    /** Asks all members, and those that shall be, whether they are there. */
    private void ask() {
        round++;
        askedNanos = environment.nanoTime();
        answered.clear();
        answered.add(self);
        members(calls.stream().flatMap(call -> Stream.ofNullable(call.wanted)).flatMap(List::stream))
                .filter(other -> !other.equals(self))
                .forEach(other -> send(other, Kind.ASK, round));
        answeredBy(self);
    }

    /** Returns the members and some others, in order. */
    private Stream<NodeRef> members(Stream<NodeRef> others) {
        List<NodeRef> more =
                others.filter(other -> !group.members.contains(other)).toList();
        return more.isEmpty()
                ? group.members.stream()
                : Stream.concat(group.members.stream(), more.stream())
                        .distinct()
                        .sorted();
    }

    private void lead() {
        long now = environment.nanoTime();
        boolean reaches = everHeard && now - heardNanos < SILENCE_NANOS;
        if (self.equals(group.leader)) {
            if (!reaches || !isMember()) {
                group.leader = null;
            } else {
                group.leaderHeardNanos = heardNanos;
            }
        } else if (isMember() && reaches && now - heardNanos < SILENCE_NANOS / 2) {
            if (group.leader == null || now - group.leaderHeardNanos > SILENCE_NANOS + 2 * TICK_NANOS) {
                group.leader = self;
                group.leaderHeardNanos = heardNanos;
            }
        }
        learnLeadership();
    }

    private void learnLeadership() {
        boolean now = self.equals(group.leader);
        if (now) {
            applyUpTo(group.commands.size());
        } else {
            failCalls();
        }
        if (now != leading && !ended && applier != null) {
            leading = now;
            applier.leadershipChanged(now);
        }
    }

    private void failCalls() {
        for (Call<?> call : List.copyOf(calls)) {
            fail(call, Outcome.NOT_LEADER, "this member does not lead");
        }
    }

    private void send(NodeRef to, Kind kind, long round) {
        Wire carrier = wire;
        if (carrier != null) {
            carrier.send(to, messages.encode(to, new Message(kind, round, group.commands.size())));
        }
    }

    @Override
    public void received(NodeRef from, byte[] message) {
        Optional<Message> decoded = messages.decode(from, message);
        if (decoded.isEmpty()) {
            malformed++;
            return;
        }
        environment.executor().execute(() -> handle(from, decoded.get()));
    }

    private void handle(NodeRef from, Message message) {
        if (ended) {
            return;
        }
        if (group.members.contains(from) && isMember()) {
            applyUpTo(Math.min(Math.max(message.agreed(), 0), group.commands.size()));
        }
        if (message.kind() == Kind.ASK) {
            send(from, Kind.ANSWER, message.round());
        } else if (message.round() == round) {
            answeredBy(from);
        }
    }

    private void answeredBy(NodeRef from) {
        answered.add(from);
        if (!group.isMajority(answered)) {
            return;
        }
        heardNanos = askedNanos;
        everHeard = true;
        if (self.equals(group.leader)) {
            group.leaderHeardNanos = heardNanos;
            for (Call<?> call : List.copyOf(calls)) {
                if (call.round <= round) {
                    carryOut(call);
                }
            }
        }
    }

    @SuppressWarnings("unchecked") // a call has a command or members, and the future's type follows
    private void carryOut(Call<?> call) {
        if (!calls.contains(call) || ended) {
            return;
        }
        if (call.command != null) {
            calls.remove(call);
            long index = group.agree(call.command);
            applyUpTo(index);
            Applier machine = applier;
            if (group.needsSnapshot() && machine != null && !ended) {
                group.snapshot = machine.snapshot();
                group.snapshotIndex = index;
            }
            complete((CompletableFuture<Long>) call.future, index);
            // The others hear of it.
            group.members.stream().filter(other -> !other.equals(self)).forEach(other -> send(other, Kind.ASK, round));
        } else if (call.wanted != null && answered.containsAll(call.wanted)) {
            changeTo((Call<Void>) call, call.wanted);
        }
    }

    private void changeTo(Call<Void> call, List<NodeRef> wanted) {
        calls.remove(call);
        for (NodeRef member : group.members) {
            if (!wanted.contains(member)) {
                group.removed.add(member);
            }
        }
        group.members = wanted.stream().sorted().toList();
        if (wanted.contains(self)) {
            complete(call.future, null);
            ask();
        } else {
            group.leader = wanted.get(0);
            group.leaderHeardNanos = environment.nanoTime();
            fail(call, Outcome.NOT_LEADER, "the leadership is handed over");
            learnLeadership();
        }
    }

    private void applyUpTo(long index) {
        Applier machine = applier;
        if (machine == null || ended) {
            return;
        }
        try {
            byte[] snapshot = group.snapshot;
            if (snapshot != null && applied < group.snapshotIndex && group.snapshotIndex <= index) {
                machine.restore(group.snapshotIndex, snapshot);
                applied = group.snapshotIndex;
            }
            while (applied < index) {
                applied++;
                machine.apply(applied, group.commands.get((int) applied - 1));
            }
        } catch (RuntimeException e) {
            String why = "the applier of " + self + " has failed (" + e + "): start it again";
            end(why);
            environment.executor().execute(() -> failure.complete(why));
        }
    }

    @Override
    public CompletionStage<Long> append(byte[] command, CallContext context) {
        if (command.length > MAX_COMMAND_BYTES) {
            throw new IllegalArgumentException(
                    "a command has up to " + MAX_COMMAND_BYTES + " bytes, not " + command.length);
        }
        return begin(new Call<Long>(round + 1, command, null), context);
    }

    @Override
    public CompletionStage<Void> changeMembers(List<NodeRef> wanted, CallContext context) {
        List<NodeRef> list = List.copyOf(wanted);
        if (list.size() % 2 == 0 || list.size() > 7 || new HashSet<>(list).size() < list.size()) {
            throw new IllegalArgumentException("the members must be 1, 3, 5 or 7 different ones, not " + list);
        }
        Call<Void> call = new Call<>(round + 1, null, list);
        if (!ended
                && (calls.stream().anyMatch(other -> other.wanted != null)
                        || list.stream().anyMatch(group.removed::contains))) {
            fail(call, Outcome.NOT_SENT, "another change is under way, or a member was removed before");
            return call.future;
        }
        return begin(call, context);
    }

    private <T> CompletionStage<T> begin(Call<T> call, CallContext context) {
        if (ended || context.isExpired() || context.isCancelled() || calls.size() >= MOST_WAITING) {
            fail(
                    call,
                    Outcome.NOT_SENT,
                    ended ? "the log is closed" : "the deadline has passed, or too many calls wait");
        } else if (!leads()) {
            fail(call, Outcome.NOT_LEADER, "this member does not lead");
        } else {
            calls.add(call);
            environment.schedule(
                    () -> fail(call, Outcome.NOT_SENT, "the deadline has passed"), context.remainingNanos());
            context.onCancel(() -> fail(call, Outcome.NOT_SENT, "it was cancelled"));
            environment.executor().execute(() -> {
                if (!ended && calls.contains(call)) {
                    ask();
                }
            });
        }
        return call.future;
    }

    private <T> void complete(CompletableFuture<T> future, @Nullable T result) {
        environment.executor().execute(() -> future.complete(result));
    }

    private void fail(Call<?> call, Outcome outcome, String why) {
        calls.remove(call);
        TopologyLogException thrown = new TopologyLogException(outcome, why, group.leader);
        if (ended) {
            call.future.completeExceptionally(thrown);
        } else {
            environment.executor().execute(() -> call.future.completeExceptionally(thrown));
        }
    }

    @Override
    public boolean leads() {
        return leading && !ended && self.equals(group.leader);
    }

    @Override
    public Optional<NodeRef> leader() {
        return Optional.ofNullable(group.leader);
    }

    @Override
    public List<NodeRef> members() {
        return applier == null ? List.of() : group.members.stream().sorted().toList();
    }

    @Override
    public long malformedMessages() {
        return malformed;
    }

    @Override
    public CompletionStage<String> failure() {
        return failure.copy();
    }

    private void end(String why) {
        ended = true;
        if (self.equals(group.leader)) {
            group.leader = null;
        }
        for (Call<?> call : List.copyOf(calls)) {
            fail(call, Outcome.NOT_SENT, why);
        }
    }

    @Override
    public void close() {
        if (!ended) {
            end("the log is closed");
        }
    }
}
