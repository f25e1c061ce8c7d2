package io.dht4j.testkit.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.DhtException;
import io.dht4j.NodeId;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLog;
import io.dht4j.spi.TopologyLogException;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Topology logs on a network in virtual time that loses, repeats and delays messages as it is set to, with members that
 * crash and start again. It checks all the time that all apply the same. Confined to the thread that created it.
 */
public final class TopologyCluster implements AutoCloseable {

    /** How long calls may take, and elections, and members that catch up. */
    public static final Duration BOUND = Duration.ofSeconds(60);

    private static final int MOST_ATTEMPTS = 5;

    private final VirtualEnvironment time;
    private final Path root;
    private final Function<TopologyMember, TopologyLog> opener;
    private final AgreementCheck check = new AgreementCheck();
    private final Map<NodeRef, Life> lives = new LinkedHashMap<>();
    private final Map<NodeRef, Path> directories = new LinkedHashMap<>();
    private final MessageNetwork network;
    private List<NodeRef> initial = List.of();
    private MessageListener listener = (from, to, message) -> {};

    /** Sees messages that a running member is about to receive. */
    @FunctionalInterface
    public interface MessageListener {
        /**
         * Called before the delivery of each message.
         *
         * @param from the sender
         * @param to the recipient
         * @param message not changed by this
         */
        void delivered(NodeRef from, NodeRef to, byte[] message);
    }

    /** A member from a start to its end. */
    private static final class Life {
        private final VirtualEnvironment environment;
        private final TopologyLog log;
        private final RecordingApplier applier;
        private boolean over;

        Life(VirtualEnvironment environment, TopologyLog log, RecordingApplier applier) {
            this.environment = environment;
            this.log = log;
            this.applier = applier;
        }
    }

    /**
     * Creates a cluster without members.
     *
     * @param seed determines the whole run
     * @param root an existing directory
     * @param opener opens the log of a member
     */
    public TopologyCluster(long seed, Path root, Function<TopologyMember, TopologyLog> opener) {
        this.time = VirtualEnvironment.seeded(seed);
        this.network = new MessageNetwork(time);
        this.root = root;
        this.opener = opener;
    }

    /**
     * Returns a name with an incarnation that the simulation determines.
     *
     * @param name the node's name
     * @return a new incarnation each time
     */
    public NodeRef newNode(String name) {
        return new NodeRef(
                new NodeId(name),
                new UUID(time.random().nextLong(), time.random().nextLong()));
    }

    /**
     * Starts the first members, {@code n1} and so on.
     *
     * @param count how many
     * @return the members
     */
    public List<NodeRef> form(int count) {
        List<NodeRef> refs = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            refs.add(newNode("n" + i));
        }
        initial = List.copyOf(refs);
        refs.forEach(this::start);
        return initial;
    }

    /**
     * Starts a node on its directory, for the first time or again.
     *
     * @param ref a first member, or another node
     */
    public void start(NodeRef ref) {
        assertThat(isRunning(ref)).as(ref + " runs").isFalse();
        VirtualEnvironment environment = time.newNode();
        Path directory = directories.computeIfAbsent(ref, any -> root.resolve(String.valueOf(ref)));
        TopologyLog log = opener.apply(new TopologyMember(ref, initial, directory, environment));
        RecordingApplier applier = new RecordingApplier(check, String.valueOf(ref.name()));
        lives.put(ref, new Life(environment, log, applier));
        log.start(applier, (to, message) -> send(ref, to, message));
    }

    /**
     * Ends a node at once, as {@code kill -9} does.
     *
     * @param ref a running node
     */
    public void crash(NodeRef ref) {
        Life life = life(ref);
        life.environment.crash();
        end(life);
    }

    /**
     * Lets a node start in another directory from now on, as if its disk had been moved.
     *
     * @param ref a node that does not run
     * @param directory the directory of its log
     */
    public void move(NodeRef ref, Path directory) {
        assertThat(isRunning(ref)).as(ref + " runs").isFalse();
        directories.put(ref, directory);
    }

    /**
     * Closes the log of a node.
     *
     * @param ref a running node
     */
    public void stop(NodeRef ref) {
        end(life(ref));
    }

    private void end(Life life) {
        life.over = true;
        life.log.close();
        life.applier.end();
    }

    /**
     * Returns whether a node was started, and neither crashed nor was stopped since.
     *
     * @param ref any node
     * @return false for unknown nodes too
     */
    public boolean isRunning(NodeRef ref) {
        Life life = lives.get(ref);
        return life != null && !life.over;
    }

    private Life life(NodeRef ref) {
        Life life = lives.get(ref);
        if (life == null) {
            throw new IllegalArgumentException(ref + " was never started");
        }
        return life;
    }

    /**
     * Returns the log of a node's newest life.
     *
     * @param ref a node that was started
     * @return its log
     */
    public TopologyLog log(NodeRef ref) {
        return life(ref).log;
    }

    /**
     * Returns the commands that a node's newest life has applied.
     *
     * @param ref a node that was started
     * @return its applier
     */
    public RecordingApplier applier(NodeRef ref) {
        return life(ref).applier;
    }

    /**
     * Returns the virtual time of the network.
     *
     * @return the environment that all nodes share
     */
    public VirtualEnvironment time() {
        return time;
    }

    /**
     * Sets how the network treats messages from now on.
     *
     * @param lossPercent how many of a hundred are lost
     * @param repeatPercent how many of a hundred arrive twice
     * @param delay the longest delay; delays differ, so that messages overtake each other
     */
    public void setNetwork(int lossPercent, int repeatPercent, Duration delay) {
        network.set(lossPercent, repeatPercent, delay);
    }

    /**
     * Cuts a node off from all others, in both directions.
     *
     * @param ref the node
     */
    public void isolate(NodeRef ref) {
        network.isolate(ref, lives.keySet());
    }

    /** Repairs the network: ends losses, repetitions and cuts. */
    public void heal() {
        network.heal();
    }

    /**
     * Sets who sees all messages from now on.
     *
     * @param newListener in place of the present one
     */
    public void onMessage(MessageListener newListener) {
        listener = newListener;
    }

    private void send(NodeRef from, NodeRef to, byte[] message) {
        check.require(isRunning(from), from + " sends a message after its end");
        check.require(message.length <= TopologyLog.MAX_MESSAGE_BYTES, from + " sends " + message.length + " bytes");
        network.send(from, to, () -> deliver(from, to, message));
    }

    private void deliver(NodeRef from, NodeRef to, byte[] message) {
        if (isRunning(to)) {
            listener.delivered(from, to, message);
            log(to).received(from, message);
        }
    }

    /**
     * Returns the context of a call.
     *
     * @param limit its deadline from now
     * @return a context in virtual time
     */
    public CallContext within(Duration limit) {
        return new CallContext(time::nanoTime, limit.toNanos());
    }

    /**
     * Appends a command, and takes note of its outcome for the check.
     *
     * @param ref the node to ask
     * @param command differs from all other commands
     * @param limit the deadline
     * @return the stage of the call
     */
    public CompletionStage<Long> append(NodeRef ref, String command, Duration limit) {
        long deadline = time.nanoTime() + limit.toNanos();
        return log(ref).append(command.getBytes(StandardCharsets.UTF_8), within(limit))
                .whenComplete((index, failure) -> {
                    check.require(
                            time.nanoTime() - deadline <= 0 || !isRunning(ref), "'" + command + "' took too long");
                    if (failure == null) {
                        check.confirmed(command, index);
                    } else {
                        check.failed(command, DhtException.unwrap(failure));
                    }
                });
    }

    /**
     * Appends a command at the leader, and waits until it is agreed. If the leader changes in between, a command of a
     * similar name follows.
     *
     * @param command differs from all other commands
     * @return its index
     */
    public long agree(String command) {
        String name = command;
        for (int attempt = 1; ; attempt++) {
            try {
                return time.await(append(awaitLeader(), name, BOUND), BOUND);
            } catch (TopologyLogException e) {
                assertThat(attempt).as(e.getMessage()).isLessThan(MOST_ATTEMPTS);
                name = command + ", attempt " + attempt;
            }
        }
    }

    /**
     * Waits for a member that leads, and in whose leadership the other reachable ones believe.
     *
     * @return the leader
     */
    public NodeRef awaitLeader() {
        time.runUntil(() -> leader() != null, BOUND);
        return Objects.requireNonNull(leader());
    }

    /**
     * Returns a running node that leads, and is not cut off.
     *
     * @return the node that knows most of those that say so; null if none does
     */
    public @Nullable NodeRef leader() {
        @Nullable NodeRef best = null;
        for (Map.Entry<NodeRef, Life> life : lives.entrySet()) {
            NodeRef ref = life.getKey();
            if (!life.getValue().over && life.getValue().log.leads() && !network.isIsolated(ref)) {
                boolean better = best == null
                        || followers(ref) > followers(best)
                        || (followers(ref) == followers(best) && reached(ref) > reached(best));
                best = better ? ref : best;
            }
        }
        return best;
    }

    private long followers(NodeRef leader) {
        return lives.values().stream()
                .filter(life -> !life.over && life.log.leader().equals(Optional.of(leader)))
                .count();
    }

    private long reached(NodeRef ref) {
        NavigableMap<Long, String> commands = applier(ref).commands();
        return commands.isEmpty() ? 0 : commands.lastKey();
    }

    /**
     * Waits until nodes have applied all agreed commands.
     *
     * @param refs running nodes
     */
    public void awaitApplied(List<NodeRef> refs) {
        time.runUntil(
                () -> refs.stream().allMatch(ref -> applier(ref).commands().equals(check.agreed())), BOUND);
    }

    /**
     * Returns all commands that were ever agreed.
     *
     * @return by index
     */
    public NavigableMap<Long, String> agreed() {
        return check.agreed();
    }

    /**
     * Returns the number of commands whose append succeeded.
     *
     * @return 0 or more
     */
    public int confirmed() {
        return check.confirmedCount();
    }

    /** Fails after any violation of the contract. */
    public void check() {
        assertThat(check.violations()).as("seed " + time.seed()).isEmpty();
    }

    /** Closes all logs and checks. */
    @Override
    public void close() {
        lives.values().stream().filter(life -> !life.over).forEach(this::end);
        time.advance(Duration.ofSeconds(30));
        check();
    }
}
