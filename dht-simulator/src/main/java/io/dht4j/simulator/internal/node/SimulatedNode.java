package io.dht4j.simulator.internal.node;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.NodeStart;
import io.dht4j.spi.HintLog;
import io.dht4j.spi.Store;
import io.dht4j.testkit.network.FaultyTransport;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * A node of the simulated cluster: its state that survives crashes, and its process. Confined to the simulation's
 * thread.
 */
public final class SimulatedNode {

    /** Its name and address. */
    public final Node node;

    private SimulatedDisk disk;
    private final Lifecycle lifecycle;
    /** The machine, whose wall clock continues without a process. */
    private final VirtualEnvironment machine;

    private Optional<Started> process = Optional.empty();
    private Optional<Running> running = Optional.empty();
    private Optional<String> startFailure = Optional.empty();
    /** Where the process listens. */
    private String address;
    /** Whether the node joins the cluster instead of forming it. */
    private boolean joins;

    private boolean away;
    /** When the node's current disturbance ends, in elapsed time. */
    private Duration disturbedUntil = Duration.ZERO;

    /**
     * The factory of nodes.
     *
     * @param world the time of all
     * @param network between the nodes
     * @param options of each node
     * @param topology the nodes of a static cluster
     * @param hints opens the hint log of a node; hints are in memory if empty
     * @param agreement how nodes become members; empty for a static cluster
     */
    public record Lifecycle(
            VirtualEnvironment world,
            LoopbackNetwork network,
            Options options,
            Topology topology,
            Optional<Function<NodeId, HintLog>> hints,
            Optional<Agreement> agreement) {}

    /**
     * The options of each node.
     *
     * @param storeDelay the largest delay of store tasks
     * @param memoryFast whether stores answer on the calling thread
     * @param configure sets all others
     */
    public record Options(Duration storeDelay, boolean memoryFast, UnaryOperator<ClusterBuilder> configure) {}

    /** A process, which may not serve yet. */
    private record Started(
            VirtualEnvironment environment, FaultyTransport links, DiskStore store, Optional<HintLog> hints) {

        Running serving(Cluster cluster) {
            return new Running(environment, links, store, hints, cluster);
        }
    }

    /**
     * A process that serves.
     *
     * @param environment its own time and threads
     * @param links to the others
     * @param store of its disk
     * @param hints its hint log; hints are in memory if empty
     * @param cluster its view of the cluster
     */
    public record Running(
            VirtualEnvironment environment,
            FaultyTransport links,
            Store store,
            Optional<HintLog> hints,
            Cluster cluster) {}

    public SimulatedNode(Node node, SimulatedDisk disk, Lifecycle lifecycle) {
        this.node = node;
        this.disk = disk;
        this.lifecycle = lifecycle;
        this.address = node.address();
        this.machine = lifecycle.world().newNode();
    }

    /** Creates a node that joins the cluster. */
    public static SimulatedNode joining(Node node, SimulatedDisk disk, Lifecycle lifecycle) {
        SimulatedNode joining = new SimulatedNode(node, disk, lifecycle);
        joining.joins = true;
        return joining;
    }

    /** Lets the next processes listen at an address, which may be that of another node. */
    public void listenAt(String other) {
        address = other;
    }

    /** Keeps the node from being started, until it is replaced. */
    public void goAway() {
        away = true;
    }

    /** Lets the node be started again. */
    public void comeBack() {
        away = false;
    }

    /** Returns whether a start of the node is forbidden. */
    public boolean isAway() {
        return away;
    }

    /** Gives the node another disk, with which it joins the cluster. */
    public void replace(SimulatedDisk other) {
        disk = other;
        joins = true;
        away = false;
    }

    /** Returns the disk, which outlives processes. */
    public SimulatedDisk disk() {
        return disk;
    }

    /** Returns the process if it serves. */
    public Optional<Running> running() {
        return running;
    }

    /** Returns whether there is a process, which may not serve yet. */
    public boolean hasProcess() {
        return process.isPresent();
    }

    /** Returns the links of the process. */
    public Optional<FaultyTransport> links() {
        return process.map(Started::links);
    }

    /** Returns why the last start has failed. */
    public Optional<String> startFailure() {
        return startFailure;
    }

    /** Starts a process. In a static cluster it serves on return. */
    public void start() {
        startFailure = Optional.empty();
        VirtualEnvironment environment = machine.newNode();
        environment.setStoreDelay(lifecycle.options().storeDelay());
        // The network's time instead of the node's: messages in transit arrive although the sender is paused.
        FaultyTransport links =
                new FaultyTransport(new OnceTransport(lifecycle.network().transport(address)), lifecycle.world());
        DiskStore store = new DiskStore(disk, lifecycle.options().memoryFast());
        ClusterBuilder builder = lifecycle
                .options()
                .configure()
                .apply(lifecycle
                        .agreement()
                        .map(agreement -> agreement.member(node, joins))
                        .orElseGet(() -> ClusterBuilder.of(node.id(), lifecycle.topology()))
                        .transport(new NodeTransport(links, environment))
                        .store(store)
                        .refill(disk)
                        .environment(environment));
        Optional<HintLog> hints = lifecycle.hints().map(logs -> logs.apply(node.id()));
        hints.ifPresent(builder::hints);
        Started started = new Started(environment, links, store, hints);
        process = Optional.of(started);
        if (lifecycle.agreement().isEmpty()) {
            running = Optional.of(started.serving(builder.start()));
        } else {
            serveLater(started, builder.begin());
        }
    }

    private void serveLater(Started started, NodeStart start) {
        start.cluster().whenComplete((cluster, error) -> {
            if (process.filter(started::equals).isEmpty()) {
                return;
            }
            if (error == null) {
                running = Optional.of(started.serving(cluster));
            } else {
                startFailure =
                        Optional.of(String.valueOf(DhtException.unwrap(error).getMessage()));
            }
        });
    }

    /** Ends the process immediately, optionally with a power failure. */
    public void crash(boolean power) {
        process.ifPresent(ended -> {
            ended.environment().crash();
            ended.links().close();
            ended.store().close();
            ended.hints().ifPresent(HintLog::close);
            if (power) {
                disk.losePower();
            }
        });
        end();
    }

    /** Shuts the process down. One that does not serve yet is killed. */
    public void stop() {
        if (running.isEmpty()) {
            crash(false);
            return;
        }
        running.get().cluster().close();
        end();
    }

    private void end() {
        process = Optional.empty();
        running = Optional.empty();
    }

    /** Sets the node's clock. A drift continues. */
    public void setClock(Duration offset) {
        machine.setClockOffset(offset);
        process.ifPresent(each -> each.environment().setClockOffset(offset));
    }

    /** Sets the drift of the node's clock in parts per million. */
    public void setClockDrift(int partsPerMillion) {
        machine.setClockDrift(partsPerMillion);
        process.ifPresent(each -> each.environment().setClockDrift(partsPerMillion));
    }

    public void pause(Duration time) {
        process.ifPresent(each -> each.environment().pause(time));
        Duration until = lifecycle.world().elapsed().plus(time);
        disturbedUntil = until.compareTo(disturbedUntil) > 0 ? until : disturbedUntil;
    }

    /** Returns whether the node has been undisturbed since a time in elapsed time. */
    public boolean wasRunningSince(Duration moment) {
        return disturbedUntil.compareTo(moment) <= 0;
    }
}
