package io.dht4j.simulator;

import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Ordering;
import io.dht4j.ReplicationPolicy;
import io.dht4j.Topology;
import io.dht4j.simulator.SimulationOptions.Mode;
import io.dht4j.simulator.history.LinearizabilityCheck;
import io.dht4j.simulator.history.OrderCheck;
import io.dht4j.simulator.internal.node.Agreement;
import io.dht4j.simulator.internal.node.SimulatedNode;
import io.dht4j.simulator.internal.node.SimulatedNodes;
import io.dht4j.spi.TopologyLogFactory;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Runs a cluster of real nodes in virtual time on one thread, injects faults into links, disks, clocks and processes,
 * and checks the results that clients see. The seed determines everything, so that every finding is reproducible.
 * Source: J. Zhou et al., <em>FoundationDB: A Distributed Unbundled Transactional Key Value Store</em>, 2021.
 *
 * <p>The simulator checks these guarantees:
 *
 * <ul>
 *   <li>No acknowledged write is lost.
 *   <li>A quorum read shows every quorum write that ended before it, and everything shown by an earlier quorum read.
 *   <li>No deleted or expired value reappears.
 *   <li>Every call ends by its deadline, with a documented error if it fails.
 *   <li>After the faults have healed and all keys have been read, the replicas of each key are equal, and no other node
 *       has the key. If only the network failed, they are equal before the reads.
 *   <li>A snapshot shows all writes acknowledged before it and none newer than itself, and can be restored.
 *   <li>Every node refills the entries of a lost disk, and delivers its hints.
 *   <li>Each addition to an atomic counter is counted once, in the order of real time.
 *   <li>A lock has one holder at a time, by the clocks of the holders, and tokens that grow.
 * </ul>
 */
public final class Simulator {

    /** The time limit of a call in a simulation. */
    static final Duration TIMEOUT = Duration.ofMillis(800);

    /** Longer than nodes keep any state of a call or a snapshot. */
    private static final Duration REST = Duration.ofMinutes(1);

    /** Longer than the formation of a cluster with lost messages. */
    private static final Duration FORMATION_BOUND = Duration.ofMinutes(2);

    /** The tasks of one run: the heartbeats of an agreed cluster continue while time passes. */
    private static final int MOST_STEPS = 100_000_000;

    static final int MAJORITY = 2;
    /** One in this number of clusters whose nodes change has no faults. */
    private static final int SEEDS_PER_CALM = 4;
    /** In one of this number of clusters whose nodes change, replicas are added. */
    private static final int SEEDS_PER_GROWTH = 4;
    /** The number of calls per fault. */
    private static final int CALLS_PER_FAULT = 12;

    private static final int CALLS_PER_SNAPSHOT = 50;
    /**
     * In one of this number of clusters whose nodes change, and that have enough of them, both sides of a cut live on.
     */
    private static final int SEEDS_PER_DIVISION = 4;

    private static final long COUNTING = 0x5DEECE66DL;
    private static final long LOCKING = 0x2545F4914FL;

    private final SimulationOptions options;
    private final long seed;
    private final SplittableRandom random;
    private final VirtualEnvironment world;
    private final SimulatedNodes members = new SimulatedNodes();
    private final List<SimulatedNode> nodes = members.present();
    private final List<Key> keys = new ArrayList<>();
    private final Setup setup;
    private final Faults faults;
    private final Workload workload;
    private final SnapshotClient snapshots;
    private final Watch watch;
    /** The calls of atomic counters, if there are any. */
    private final Optional<CounterClient> counters;
    /** The holders of locks, if there are any. */
    private final Optional<LockClient> locks;
    /** The changes of the nodes, if they change. */
    private final Optional<Evolution> evolution;

    private Simulator(
            long seed, SimulationOptions options, Optional<HintLogs> hints, Optional<TopologyLogFactory> logs) {
        this.seed = seed;
        this.options = options;
        this.random = new SplittableRandom(seed);
        boolean agreed = options.membership() != Mode.STATIC;
        this.world = agreed ? VirtualEnvironment.seeded(seed, MOST_STEPS) : VirtualEnvironment.seeded(seed);
        Setup drawn = Setup.drawn(random, options.time());
        SplittableRandom changing = new SplittableRandom(~seed);
        this.setup = switch (options.membership()) {
            case STATIC -> drawn;
            case AGREED -> drawn.ofAgreedCluster();
            case CHANGING, ATOMIC ->
                drawn.ofChangingCluster(
                        options.membership(), changing.nextInt(SEEDS_PER_CALM) == 0, replicasAtFirst(seed));
        };
        Topology topology = Topology.of(IntStream.range(0, setup.size())
                .mapToObj(i -> Node.of("n" + i, "host" + i + ":1"))
                .toArray(Node[]::new));
        Optional<Agreement> agreement = agreed
                ? Optional.of(new Agreement(
                        topology.nodes(), members::list, logs.orElseGet(Agreement::perfectLogs), setup.replicas()))
                : Optional.empty();
        SimulatedNode.Lifecycle lifecycle = new SimulatedNode.Lifecycle(
                world, LoopbackNetwork.on(world), setup.ofNode(), topology, hints.map(each -> each::open), agreement);
        members.form(lifecycle, random);
        for (int i = 0; i < options.keys(); i++) {
            keys.add(Key.of("key" + i));
        }
        this.faults = new Faults(random.split(), world, nodes, setup);
        CallOptions quorum = setup.ofCalls();
        this.workload = new Workload(
                random.split(),
                world,
                members.disks(),
                keys,
                quorum,
                ReplicationPolicy.majorityOf(setup.replicas()).ack(),
                setup.ordering() != Ordering.LINEARIZABLE);
        this.snapshots = new SnapshotClient(random.split(), world, nodes, keys, quorum, workload);
        this.watch = new Watch(world, nodes, options);
        this.counters = options.membership() == Mode.ATOMIC
                ? Optional.of(new CounterClient(new SplittableRandom(seed ^ COUNTING), world, nodes, faults))
                : Optional.empty();
        this.locks = counters.map(client -> new LockClient(new SplittableRandom(seed ^ LOCKING), nodes));
        this.evolution = options.membership().isChanging()
                ? Optional.of(new Evolution(
                        changing, world, members, faults, agreement.orElseThrow(), workload, setup, dividing(seed)))
                : Optional.empty();
    }

    /**
     * Runs a simulation. Blocks; other simulations may run on other threads.
     *
     * @param seed determines all random choices
     * @param options the extent of the simulation
     * @return the report, which includes failures; none is thrown
     */
    public static SimulationReport run(long seed, SimulationOptions options) {
        return new Simulator(seed, options, Optional.empty(), Optional.empty()).run();
    }

    /**
     * Runs a simulation with given logs. Blocks; other simulations may run on other threads.
     *
     * @param seed determines all random choices
     * @param options the extent of the simulation
     * @param hints the hint logs of this simulation alone; hints are in memory if empty
     * @param logs opens the topology logs of this simulation alone, which outlive the processes; a perfect log if
     *     empty. Not used by a static cluster
     * @return the report, which includes failures; none is thrown
     */
    public static SimulationReport run(
            long seed, SimulationOptions options, Optional<HintLogs> hints, Optional<TopologyLogFactory> logs) {
        return new Simulator(seed, options, hints, logs).run();
    }

    private SimulationReport run() {
        List<String> violations = new ArrayList<>();
        try {
            nodes.forEach(SimulatedNode::start);
            nodes.forEach(faults::attach);
            if (setup.agreed()) {
                form();
            }
            faults.begin();
            watch.begin();
            evolution.ifPresent(each -> each.begin(allKeys()));
            evolution.ifPresent(each -> counters.ifPresent(client -> client.setAside(each::isSetAside)));
            evolution.ifPresent(each -> locks.ifPresent(client -> client.setAside(each::isSetAside)));
            suffer();
            faults.heal();
            evolution.ifPresent(Evolution::settle);
            new HealedCluster(world, nodes, keys, setup, workload).check();
            counters.ifPresent(CounterClient::readAll);
            restore();
            world.advance(REST);
            locks.ifPresent(LockClient::requireEnds);
            watch.end();
            violations.addAll(watch.violations());
            violations.addAll(snapshots.violations(workload.hiding()));
            violations.addAll(workload.hangingCalls());
            violations.addAll(workload.failedAndDone());
            evolution.ifPresent(Evolution::checkOwners);
            nodes.forEach(SimulatedNode::stop);
        } catch (AssertionError e) {
            violations.add(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            violations.add("the simulation failed: " + e);
        }
        violations.addAll(workload.violations());
        violations.addAll(members.states().violations());
        evolution.ifPresent(each -> violations.addAll(each.violations()));
        counters.ifPresent(client -> violations.addAll(client.violations()));
        locks.ifPresent(client -> violations.addAll(client.violations()));
        violations.addAll(OrderCheck.violations(workload.history()));
        if (setup.ordering() == Ordering.LINEARIZABLE) {
            violations.addAll(LinearizabilityCheck.violations(workload.history()));
        }
        Map<String, Integer> outcomes = new TreeMap<>();
        workload.history()
                .all()
                .forEach(each -> outcomes.merge(each.outcome().name().toLowerCase(Locale.ROOT), 1, Integer::sum));
        outcomes.put("snapshot", snapshots.readings().size());
        counters.ifPresent(client -> outcomes.putAll(client.outcomes()));
        locks.ifPresent(client -> outcomes.putAll(client.outcomes()));
        return new SimulationReport(
                seed,
                setup.toString(),
                world.elapsed(),
                workload.history().all().size(),
                outcomes,
                faults.counts(),
                violations,
                world.fingerprint());
    }

    /** Draws how many replicas a cluster has at first, from other numbers than all the rest. */
    private static int replicasAtFirst(long seed) {
        SplittableRandom random = new SplittableRandom(~seed ^ SEEDS_PER_GROWTH);
        return random.nextInt(SEEDS_PER_GROWTH) == 0 ? 1 + random.nextInt(Setup.REPLICAS - 1) : Setup.REPLICAS;
    }

    /** Draws whether the cluster is divided, and how, from other numbers than all the rest. */
    private Optional<SplittableRandom> dividing(long of) {
        SplittableRandom own = new SplittableRandom(~of ^ SEEDS_PER_DIVISION << Short.SIZE);
        return own.nextInt(SEEDS_PER_DIVISION) == 0 && !setup.calm() && !setup.grows()
                ? Optional.of(own)
                : Optional.empty();
    }

    /** Waits until the nodes have formed an agreed cluster. */
    private void form() {
        try {
            world.runUntil(() -> nodes.stream().allMatch(node -> node.running().isPresent()), FORMATION_BOUND);
        } catch (AssertionError e) {
            throw new AssertionError("the nodes have not formed a cluster: " + e.getMessage(), e);
        }
    }

    private List<Key> allKeys() {
        List<Key> all = new ArrayList<>(keys);
        counters.ifPresent(client -> all.addAll(CounterClient.keys()));
        locks.ifPresent(client -> all.addAll(LockClient.keys()));
        return all;
    }

    private boolean isWell() {
        return workload.violations().isEmpty()
                && evolution.filter(each -> !each.violations().isEmpty()).isEmpty();
    }

    private boolean mayCall(SimulatedNode node) {
        return evolution.isEmpty() || evolution.get().mayCall(node);
    }

    private void suffer() {
        long step = 2 * options.time().toNanos() / options.operations();
        for (int i = 0; i < options.operations() && isWell(); i++) {
            SimulatedNode node = nodes.get(random.nextInt(nodes.size()));
            if (mayCall(node)) {
                workload.operate(node);
            }
            counters.ifPresent(client -> client.operate(this::mayCall));
            locks.ifPresent(client -> client.operate(this::mayCall));
            if (random.nextInt(CALLS_PER_FAULT) == 0) {
                // At any time, also while messages are in transit.
                world.schedule(faults::strike, random.nextLong(step));
            }
            if (!setup.purges()
                    && random.nextInt(CALLS_PER_SNAPSHOT) == 0
                    && evolution.filter(Evolution::isDivided).isEmpty()) {
                snapshots.begin();
            }
            // Some calls are concurrent, others follow after a while.
            if (random.nextInt(3) > 0) {
                world.advance(Duration.ofNanos(random.nextLong(step + step / 2)));
            }
        }
    }

    /** Checks that the last snapshot can be restored to another cluster. */
    private void restore() {
        List<SnapshotClient.Reading> readings = snapshots.readings();
        if (!readings.isEmpty()) {
            Restoration.check(
                    world,
                    1 + random.nextInt(4),
                    readings.get(readings.size() - 1).shown());
        }
    }
}
