package io.dht4j.simulator;

import io.dht4j.Cluster;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.spi.HintLog;
import io.dht4j.testkit.network.FaultyTransport;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.Optional;

/**
 * A node of the simulated cluster: its state that survives crashes, and its running process. Confined to the
 * simulation's thread.
 */
final class SimulatedNode {

    final Node node;
    final SimulatedDisk disk;
    private final Lifecycle lifecycle;
    /** The machine, whose wall clock continues without a process. */
    private final VirtualEnvironment machine;

    private Optional<Running> running = Optional.empty();
    /** When the node's current disturbance ends, in elapsed time. */
    private Duration disturbedUntil = Duration.ZERO;

    /** The factory of nodes. */
    record Lifecycle(
            VirtualEnvironment world,
            LoopbackNetwork network,
            Setup setup,
            Topology topology,
            Optional<HintLogs> hints) {}

    /** A running process. */
    record Running(
            VirtualEnvironment environment,
            FaultyTransport links,
            DiskStore store,
            Optional<HintLog> hints,
            Cluster cluster) {}

    SimulatedNode(Node node, SimulatedDisk disk, Lifecycle lifecycle) {
        this.node = node;
        this.disk = disk;
        this.lifecycle = lifecycle;
        this.machine = lifecycle.world().newNode();
    }

    Optional<Running> running() {
        return running;
    }

    void start() {
        VirtualEnvironment environment = machine.newNode();
        environment.setStoreDelay(lifecycle.setup().storeDelay());
        // The network's time instead of the node's: messages in transit arrive although the sender is paused.
        FaultyTransport links = new FaultyTransport(lifecycle.network().transport(node.address()), lifecycle.world());
        DiskStore store = new DiskStore(disk, lifecycle.setup().memoryFast());
        ClusterBuilder builder = lifecycle
                .setup()
                .configure(ClusterBuilder.of(node.id(), lifecycle.topology())
                        .transport(new NodeTransport(links, environment))
                        .store(store)
                        .refill(disk)
                        .environment(environment));
        Optional<HintLog> hints = lifecycle.hints().map(logs -> logs.open(node.id()));
        hints.ifPresent(builder::hints);
        running = Optional.of(new Running(environment, links, store, hints, builder.start()));
    }

    /** Ends the process immediately, optionally with a power failure. */
    void crash(boolean power) {
        running.ifPresent(process -> {
            process.environment().crash();
            process.links().close();
            process.store().close();
            process.hints().ifPresent(HintLog::close);
            if (power) {
                disk.losePower();
            }
        });
        running = Optional.empty();
    }

    /** Shuts the process down. */
    void stop() {
        running.ifPresent(process -> process.cluster().close());
        running = Optional.empty();
    }

    /** Sets the node's clock. A drift continues. */
    void setClock(Duration offset) {
        machine.setClockOffset(offset);
        running.ifPresent(process -> process.environment().setClockOffset(offset));
    }

    /** Sets the drift of the node's clock in parts per million. */
    void setClockDrift(int partsPerMillion) {
        machine.setClockDrift(partsPerMillion);
        running.ifPresent(process -> process.environment().setClockDrift(partsPerMillion));
    }

    void pause(Duration time) {
        running.ifPresent(process -> process.environment().pause(time));
        Duration until = lifecycle.world().elapsed().plus(time);
        disturbedUntil = until.compareTo(disturbedUntil) > 0 ? until : disturbedUntil;
    }

    /** Returns whether the node has been undisturbed since a time in elapsed time. */
    boolean wasRunningSince(Duration moment) {
        return disturbedUntil.compareTo(moment) <= 0;
    }
}
