package io.dht4j.benchmarks.process;

import io.dht4j.benchmarks.counters.Counters;
import io.dht4j.benchmarks.profile.ProfileEvent;
import io.dht4j.benchmarks.profile.Profiler;
import io.dht4j.server.Setting;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A node in a process of its own. Every method that asks it something blocks, for at most a minute, and throws a
 * {@link ChildDiedException} with its last log lines if it has ended. Safe for use by any number of threads.
 */
public final class NodeProcess implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

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
                        spec.id(), NodeMain.class, Heap.flags(spec.heapMegabytes(), spec.jvmFlags()), spec.log())));
    }

    /**
     * Starts a node. Blocks until it listens; does not wait for other nodes.
     *
     * @param spec what to start
     * @return the node, to be closed
     * @throws ChildException if the server does not start: a setting is wrong, a port is not free
     * @throws IOException if the system does not start the process
     * @throws InterruptedException if the thread is interrupted; nothing is left running then
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

    /**
     * Starts a node again that has ended, with the same settings and the same data. Blocks until it listens.
     *
     * @return the node, to be closed
     * @throws ChildException if the server does not start
     * @throws IOException if the system does not start the process
     * @throws InterruptedException if the thread is interrupted; nothing is left running then
     */
    public NodeProcess startAgain() throws IOException, InterruptedException {
        return start(spec);
    }

    /** Lets it serve. */
    void serve() throws ChildException, InterruptedException {
        Map<String, String> settings = new TreeMap<>();
        spec.settings().forEach((setting, value) -> settings.put(setting.propertyName(), value));
        child.call(NodeCommands.START, new NodeCommands.Start(settings), NodeCommands.Started.class, PATIENCE);
    }

    /**
     * Waits until every node of the cluster answers this one.
     *
     * @param deadline how long to wait at most
     * @throws ChildException if one still does not
     * @throws InterruptedException if the thread is interrupted
     */
    public void join(Duration deadline) throws ChildException, InterruptedException {
        child.call(NodeCommands.JOIN, new NodeCommands.Join(deadline.toMillis()), deadline.plus(PATIENCE));
    }

    /**
     * The node's name.
     *
     * @return as the cluster knows it
     */
    public String id() {
        return spec.id();
    }

    /**
     * Where its public HTTP API is.
     *
     * @return host and port with a colon between
     */
    public String httpAddress() {
        return spec.settings().getOrDefault(Setting.LISTEN, "");
    }

    /**
     * Where its public gRPC API is.
     *
     * @return host and port with a colon between, or empty if it has none
     */
    public Optional<String> grpcAddress() {
        return Optional.ofNullable(spec.settings().get(Setting.GRPC_LISTEN));
    }

    /**
     * The number of its process.
     *
     * @return as the system counts
     */
    public long pid() {
        return child.pid();
    }

    /**
     * Fails if it has ended or hangs.
     *
     * @throws ChildException if it has or does
     * @throws InterruptedException if the thread is interrupted
     */
    public void ping() throws ChildException, InterruptedException {
        child.ping(PATIENCE);
    }

    /**
     * Reads the counters of its process.
     *
     * @return what it has done since it was started; costs that only the whole machine knows are absent
     * @throws ChildException if it does not answer
     * @throws InterruptedException if the thread is interrupted
     */
    public Counters counters() throws ChildException, InterruptedException {
        return child.call(NodeCommands.COUNTERS, Map.of(), Counters.class, PATIENCE);
    }

    /**
     * Starts a profile; one at a time.
     *
     * @param event what to count
     * @return what counts it
     * @throws ChildException if nothing on this system can count it, or a profile is being taken
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
     * Ends the profile and writes it down.
     *
     * @param collapsed file for the collapsed stacks
     * @param flameGraph file for the page with the flame graph
     * @param title what the page says above
     * @throws ChildException if no profile is being taken, or a file cannot be written
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

    /** Ends it as {@code kill -9} does. Returns when it is gone. */
    public void kill() {
        child.kill();
    }

    /** Asks it to end, without waiting. */
    void askToEnd() {
        child.askToEnd();
    }

    /** Ends it in order, or by force after some seconds. Returns when it is gone. May be called repeatedly. */
    @Override
    public void close() {
        child.close();
    }
}
