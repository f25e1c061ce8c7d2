package io.dht4j.benchmarks.process.node;

import io.dht4j.benchmarks.process.ChildException;
import io.dht4j.benchmarks.process.Parallel;
import io.dht4j.benchmarks.profile.CollapsedStacks;
import io.dht4j.benchmarks.profile.ProfileEvent;
import io.dht4j.benchmarks.profile.Profiler;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.counters.MachineCounters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;

/** The nodes of a cluster, each in a process of its own, on this machine. Safe for use by any number of threads. */
public final class Nodes implements AutoCloseable {

    private static final Duration JOINING = Duration.ofSeconds(60);

    private final NodesSpec spec;
    private final List<NodeProcess> nodes;
    private final MachineCounters machine = new MachineCounters();

    private Nodes(NodesSpec spec, List<NodeProcess> nodes) {
        this.spec = spec;
        this.nodes = new CopyOnWriteArrayList<>(nodes);
    }

    /**
     * Starts the nodes {@code n1}, {@code n2} and so on, on free ports of loopback. Blocks until each reaches all.
     *
     * @param spec describes it
     * @return the nodes, which the caller closes
     * @throws ChildException if one fails to start, or to reach the others within a minute
     * @throws IOException if the system fails to start a process
     * @throws InterruptedException if the thread is interrupted; no process remains then
     */
    public static Nodes start(NodesSpec spec) throws IOException, InterruptedException {
        List<NodeProcess> started = new ArrayList<>();
        Nodes nodes;
        try {
            for (NodeSpec node : NodeSettings.of(spec)) {
                started.add(NodeProcess.launch(node));
            }
            onEach(started, NodeProcess::serve);
            onEach(started, node -> node.join(JOINING));
            nodes = new Nodes(spec, started);
        } catch (IOException | InterruptedException | RuntimeException e) {
            new Nodes(spec, started).close();
            throw e;
        }
        return nodes;
    }

    /**
     * Starts a further node, which joins the cluster by the others. Blocks until it serves; partitions move to it
     * later. The cluster has admitted its name, {@link #nextName}.
     *
     * @return the node, which is among {@link #all} from now on
     * @throws ChildException if it does not become a member
     * @throws IOException if the system fails to start the process
     * @throws InterruptedException if the thread is interrupted
     * @throws IllegalStateException if the nodes are fixed
     */
    public NodeProcess startJoining() throws IOException, InterruptedException {
        if (!spec.agreed()) {
            throw new IllegalStateException("the nodes of this cluster are fixed");
        }
        NodeProcess joining = NodeProcess.start(NodeSettings.joining(
                spec, nextName(), nodes.get(0).id(), nodes.get(0).peerAddress()));
        nodes.add(joining);
        return joining;
    }

    /**
     * Returns the name of the next node.
     *
     * @return such as {@code n4}
     */
    public String nextName() {
        return NodeSettings.name(nodes.size());
    }

    /** A call to a node. */
    @FunctionalInterface
    private interface Action {
        void run(NodeProcess node) throws IOException, InterruptedException;
    }

    /** Calls all nodes at the same time. Returns when all calls have ended; throws the worst failure. */
    private static void onEach(List<NodeProcess> nodes, Action action) throws IOException, InterruptedException {
        List<Callable<NodeProcess>> calls = new ArrayList<>();
        for (NodeProcess node : nodes) {
            calls.add(() -> {
                action.run(node);
                return node;
            });
        }
        Parallel.call(calls);
    }

    /**
     * Returns the nodes, in the order of the topology.
     *
     * @return a copy
     */
    public List<NodeProcess> all() {
        return List.copyOf(nodes);
    }

    /**
     * Returns the addresses of the public HTTP APIs.
     *
     * @return host and port of each node
     */
    public List<String> httpAddresses() {
        return nodes.stream().map(NodeProcess::httpAddress).toList();
    }

    /**
     * Returns the addresses of the public gRPC APIs.
     *
     * @return host and port of each node; empty if they have none
     */
    public List<String> grpcAddresses() {
        return nodes.stream().flatMap(node -> node.grpcAddress().stream()).toList();
    }

    /**
     * Verifies that each node answers.
     *
     * @throws ChildException if one has ended or hangs
     * @throws InterruptedException if the thread is interrupted
     */
    public void ping() throws ChildException, InterruptedException {
        for (NodeProcess node : nodes) {
            node.ping();
        }
    }

    /**
     * Reads the counters of all nodes together, and of the machine. The cost of an operation is the difference of two
     * readings with a load between them, divided by the load's operations, warm-up included.
     *
     * @return the counts
     * @throws ChildException if a node does not answer
     * @throws InterruptedException if the thread is interrupted
     */
    public Counters counters() throws ChildException, InterruptedException {
        return counters(Optional.empty());
    }

    /**
     * Reads the counters of all nodes and of another process together, and of the machine.
     *
     * @param beside of the other process; empty for the nodes alone
     * @return the counts
     * @throws ChildException if a node does not answer
     * @throws InterruptedException if the thread is interrupted
     */
    public Counters counters(Optional<Counters> beside) throws ChildException, InterruptedException {
        List<Counters> readings = new ArrayList<>(beside.stream().toList());
        for (NodeProcess node : nodes) {
            readings.add(node.counters());
        }
        return Counters.sum(readings).and(machine.read());
    }

    /**
     * Starts a profile of every node, or of none.
     *
     * @param event the event to count
     * @return remarks for readers; empty if every node counts the requested event
     * @throws ChildException if a node cannot count it
     * @throws IOException if the begun profiles of others cannot be discarded
     * @throws InterruptedException if the thread is interrupted
     */
    public List<String> startProfile(ProfileEvent event) throws IOException, InterruptedException {
        List<String> notes = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            Profiler.Started started;
            try {
                started = nodes.get(i).startProfile(event);
            } catch (ChildException e) {
                try {
                    dropProfiles(nodes.subList(0, i));
                } catch (IOException kept) {
                    kept.addSuppressed(e);
                    throw new IOException("a profile that had begun could not be ended: " + kept.getMessage(), kept);
                }
                throw e;
            }
            if (!started.note().isEmpty() && !notes.contains(started.note())) {
                notes.add(started.note());
            }
        }
        return notes;
    }

    private static void dropProfiles(List<NodeProcess> profiled) throws IOException, InterruptedException {
        Path nowhere = Files.createTempDirectory("dropped-profile");
        try {
            for (NodeProcess node : profiled) {
                node.stopProfile(nowhere.resolve("collapsed"), nowhere.resolve("html"), "dropped");
            }
        } finally {
            Files.deleteIfExists(nowhere.resolve("collapsed"));
            Files.deleteIfExists(nowhere.resolve("html"));
            Files.delete(nowhere);
        }
    }

    /**
     * Ends the profile of every node. Each node's flame graph is a file with the node's name.
     *
     * @param directory receives the files; it exists
     * @param name how the files' names begin
     * @return the stacks of all nodes together
     * @throws IOException if a node has no profile, or writing a file fails
     * @throws InterruptedException if the thread is interrupted
     */
    public CollapsedStacks stopProfile(Path directory, String name) throws IOException, InterruptedException {
        List<CollapsedStacks> stacks = new ArrayList<>();
        for (NodeProcess node : nodes) {
            Path collapsed = directory.resolve(name + "-" + node.id() + ".collapsed");
            Path flameGraph = directory.resolve(name + "-" + node.id() + ".html");
            node.stopProfile(collapsed, flameGraph, name + ", " + node.id());
            stacks.add(CollapsedStacks.read(collapsed));
            Files.deleteIfExists(collapsed);
        }
        return CollapsedStacks.merge(stacks);
    }

    /** Ends all nodes, in order or by force after some seconds. Returns when they have ended. Idempotent. */
    @Override
    public void close() {
        nodes.forEach(NodeProcess::askToEnd);
        nodes.forEach(NodeProcess::close);
    }
}
