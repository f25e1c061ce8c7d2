package io.dht4j.benchmarks.process.node;

import io.dht4j.benchmarks.load.closed.Preload;
import io.dht4j.benchmarks.process.Child;
import io.dht4j.benchmarks.process.ChildDiedException;
import io.dht4j.benchmarks.process.ChildException;
import io.dht4j.benchmarks.process.ChildSpec;
import io.dht4j.benchmarks.process.JvmFlags;
import io.dht4j.benchmarks.process.load.LoadCommands;
import io.dht4j.benchmarks.profile.ProfileEvent;
import io.dht4j.benchmarks.profile.Profiler;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.server.config.Setting;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A node in a process of its own. Methods that send it a command block, for at most a minute, and throw a
 * {@link ChildDiedException} with its last log lines if it has ended. Safe for use by any number of threads.
 */
public final class NodeProcess implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Longer than a class of the user may take to start, so that the node itself names the class that does not. */
    private static final Duration STARTING = Duration.ofSeconds(90);

    private final NodeSpec spec;
    private final Child child;

    private NodeProcess(NodeSpec spec, Child child) {
        this.spec = spec;
        this.child = child;
    }

    /** Starts the JVM only, so that several can start at the same time. */
    static NodeProcess launch(NodeSpec spec) throws IOException {
        return new NodeProcess(
                spec,
                Child.start(new ChildSpec(
                        spec.id(),
                        NodeMain.class,
                        JvmFlags.withHeap(spec.heapMegabytes(), spec.jvmFlags()),
                        spec.log())));
    }

    /**
     * Starts a node. Blocks until it listens, independent of other nodes.
     *
     * @param spec describes it
     * @return the node, which the caller closes
     * @throws ChildException if the server fails to start: a setting is wrong, a port is taken
     * @throws IOException if the system fails to start the process
     * @throws InterruptedException if the thread is interrupted; no process remains then
     */
    public static NodeProcess start(NodeSpec spec) throws IOException, InterruptedException {
        NodeProcess node = launch(spec);
        try {
            node.serve();
            return node;
        } catch (IOException | InterruptedException | RuntimeException e) {
            node.close();
            throw e;
        }
    }

    /** Starts its server. */
    void serve() throws ChildException, InterruptedException {
        Map<String, String> settings = new TreeMap<>();
        spec.settings().forEach((setting, value) -> settings.put(setting.propertyName(), value));
        child.call(NodeCommands.START, new NodeCommands.Start(settings), NodeCommands.Started.class, STARTING);
    }

    /**
     * Waits until every node of the cluster answers this one.
     *
     * @param deadline the longest wait
     * @throws ChildException if one still does not
     * @throws InterruptedException if the thread is interrupted
     */
    public void join(Duration deadline) throws ChildException, InterruptedException {
        child.call(NodeCommands.JOIN, new NodeCommands.Join(deadline.toMillis()), deadline.plus(PATIENCE));
    }

    /**
     * Returns the node's name.
     *
     * @return as the cluster knows it
     */
    public String id() {
        return spec.id();
    }

    /**
     * Returns the address of its public HTTP API.
     *
     * @return host and port with a colon between
     */
    public String httpAddress() {
        return spec.settings().getOrDefault(Setting.LISTEN, "");
    }

    /** Returns its address for the other nodes. */
    String peerAddress() {
        Map<Setting, String> settings = spec.settings();
        String list = settings.getOrDefault(Setting.PEERS, settings.getOrDefault(Setting.BOOTSTRAP, ""));
        return Stream.of(list.split(",", -1))
                .filter(node -> node.startsWith(spec.id() + "="))
                .map(node -> node.substring(spec.id().length() + 1))
                .findFirst()
                .orElseGet(() -> settings.getOrDefault(Setting.PEER_ADDRESS, ""));
    }

    /**
     * Returns the address of its public gRPC API.
     *
     * @return host and port with a colon between, or empty if it has none
     */
    public Optional<String> grpcAddress() {
        return Optional.ofNullable(spec.settings().get(Setting.GRPC_LISTEN));
    }

    /**
     * Verifies that it answers.
     *
     * @throws ChildException if it has ended or hangs
     * @throws InterruptedException if the thread is interrupted
     */
    public void ping() throws ChildException, InterruptedException {
        child.ping(PATIENCE);
    }

    /**
     * Reads the counters of its process.
     *
     * @return the counts since its start, without those of the whole machine
     * @throws ChildException if it gives no answer
     * @throws InterruptedException if the thread is interrupted
     */
    public Counters counters() throws ChildException, InterruptedException {
        return child.call(NodeCommands.COUNTERS, Map.of(), Counters.class, PATIENCE);
    }

    /**
     * Reads its view of its agreed cluster.
     *
     * @return the reading
     * @throws ChildException if the nodes of its cluster are fixed, or it gives no answer
     * @throws InterruptedException if the thread is interrupted
     */
    public MembershipReading membership() throws ChildException, InterruptedException {
        return child.call(NodeCommands.MEMBERSHIP, Map.of(), MembershipReading.class, PATIENCE);
    }

    /**
     * Counts the entries of its store, tombstones included.
     *
     * @return an estimate during writes
     * @throws ChildException if it gives no answer
     * @throws InterruptedException if the thread is interrupted
     */
    public long entries() throws ChildException, InterruptedException {
        return child.call(NodeCommands.ENTRIES, Map.of(), Long.class, PATIENCE);
    }

    /**
     * Allows a node to join the agreed cluster. Returns when that is agreed.
     *
     * @param name of the node
     * @throws ChildException if it is refused
     * @throws InterruptedException if the thread is interrupted
     */
    public void admit(String name) throws ChildException, InterruptedException {
        child.call(NodeCommands.ADMIT, new NodeCommands.Admit(name), PATIENCE);
    }

    /**
     * Sets how partitions move. Returns once the change is agreed; moves that are allowed again are planned at once.
     *
     * @param paused whether moves are suspended
     * @param bytesPerSecond the maximum rate of a node's sent or received bytes for moves
     * @throws ChildException if it is refused
     * @throws InterruptedException if the thread is interrupted
     */
    public void rebalance(boolean paused, long bytesPerSecond) throws ChildException, InterruptedException {
        child.call(NodeCommands.REBALANCE, new NodeCommands.Rebalance(paused, bytesPerSecond), PATIENCE);
    }

    /** Readies its own cluster for loads within its process. */
    void embedLoad(NodeCommands.EmbedLoad embed) throws ChildException, InterruptedException {
        child.call(NodeCommands.EMBED_LOAD, embed, PATIENCE);
    }

    /** Writes keys from within its process. Blocks. */
    Preload.Filled fill(LoadCommands.Fill fill, Duration deadline) throws ChildException, InterruptedException {
        return child.call(NodeCommands.FILL, fill, Preload.Filled.class, deadline);
    }

    /** Runs a load within its process. Blocks. */
    LoadResult run(LoadSpec spec, Duration deadline) throws ChildException, InterruptedException {
        return child.call(NodeCommands.RUN, spec, LoadResult.class, deadline);
    }

    /**
     * Starts a profile. At most one profile runs at a time.
     *
     * @param event the event to count
     * @return the engine that counts it
     * @throws ChildException if no engine on this system can count it, or a profile is running
     * @throws InterruptedException if the thread is interrupted
     */
    public Profiler.Started startProfile(ProfileEvent event) throws ChildException, InterruptedException {
        return child.call(
                NodeCommands.PROFILE_START,
                new NodeCommands.ProfileStart(event.label()),
                Profiler.Started.class,
                PATIENCE);
    }

    /**
     * Ends the profile and writes its files.
     *
     * @param collapsed file for the collapsed stacks
     * @param flameGraph file for the page with the flame graph
     * @param title of the page
     * @throws ChildException if no profile is running, or writing a file fails
     * @throws InterruptedException if the thread is interrupted
     */
    public void stopProfile(Path collapsed, Path flameGraph, String title) throws ChildException, InterruptedException {
        child.call(
                NodeCommands.PROFILE_STOP,
                new NodeCommands.ProfileStop(
                        collapsed.toAbsolutePath().toString(),
                        flameGraph.toAbsolutePath().toString(),
                        title),
                PATIENCE);
    }

    /** Ends it as {@code kill -9} does. Returns when it has ended. */
    public void kill() {
        child.kill();
    }

    /** Requests its end, without waiting. */
    void askToEnd() {
        child.askToEnd();
    }

    /** Ends it in order, or by force after some seconds. Returns when it has ended. Idempotent. */
    @Override
    public void close() {
        child.close();
    }
}
