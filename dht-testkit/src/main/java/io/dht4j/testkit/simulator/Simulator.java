package io.dht4j.testkit.simulator;

import io.dht4j.CallOptions;
import io.dht4j.CancellationPolicy;
import io.dht4j.Cluster;
import io.dht4j.Hedging;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.ReadFanOut;
import io.dht4j.RepairStatus;
import io.dht4j.Topology;
import io.dht4j.core.Batching;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.Repair;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.LoopbackNetwork;
import io.dht4j.testkit.VirtualEnvironment;
import io.dht4j.testkit.history.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Runs a cluster of real nodes in virtual time, on one thread, while links, disks, clocks and processes fail, and checks what clients saw. Everything
 * follows from the seed, so that what was found once is found again. After the account of such a simulation in J. Zhou et al., <em>FoundationDB: A
 * Distributed Unbundled Transactional Key Value Store</em>, 2021.
 *
 * <p>It requires: no acknowledged write is lost; a read of a quorum shows every write of a quorum that ended before it, and what another one has shown;
 * nothing deleted or expired comes back; every call ends by its deadline, and with an error that callers are told of; and when all has been healed and
 * read, the replicas of each key are equal, and only they have it. Where nothing but the network failed, they are equal before anybody reads.
 */
public final class Simulator {

    /** How long a call may take in a simulation. */
    static final Duration TIMEOUT = Duration.ofMillis(800);

    private static final List<CancellationPolicy> CANCELLATIONS =
            List.of(CancellationPolicy.NEVER, CancellationPolicy.LOCAL, CancellationPolicy.PROPAGATE);
    private static final int LONGEST_STORE_MILLIS = 30;
    private static final int REPLICAS = 3;
    /** Longer than a round of repair takes. */
    private static final Duration REPAIR_BOUND = Duration.ofMinutes(5);

    private static final int MAJORITY = 2;
    /** Of so many calls one is followed by a fault. */
    private static final int CALLS_PER_FAULT = 12;

    private final SimulationOptions options;
    private final long seed;
    private final SplittableRandom random;
    private final VirtualEnvironment world;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<Key> keys = new ArrayList<>();
    private final String setup;
    private final boolean onlyNetwork;
    private final Faults faults;
    private final Workload workload;

    private Simulator(long seed, SimulationOptions options) {
        this.seed = seed;
        this.options = options;
        this.random = new SplittableRandom(seed);
        this.world = VirtualEnvironment.seeded(seed);
        int size = random.nextBoolean() ? REPLICAS : 5;
        boolean memoryFast = random.nextBoolean();
        Duration storeDelay = Duration.ofMillis(random.nextInt(LONGEST_STORE_MILLIS));
        ReadFanOut fanOut = random.nextBoolean() ? ReadFanOut.ALL : ReadFanOut.ENOUGH;
        Optional<Duration> hedge =
                random.nextInt(3) == 0 ? Optional.of(Duration.ofMillis(1 + random.nextInt(100))) : Optional.empty();
        CancellationPolicy cancellation = CANCELLATIONS.get(random.nextInt(CANCELLATIONS.size()));
        // Narrow windows and small frames, so that there is something to put together and to take apart.
        Batching batching = random.nextBoolean()
                ? new Batching(true, 1 + random.nextInt(8), 1024, 1 + random.nextInt(2))
                : Batching.off();
        this.onlyNetwork = random.nextInt(4) == 0;
        // Rounds follow each other closely, and what is dead goes early, so that both happen among the faults.
        boolean badClocks = random.nextBoolean();
        Duration skew = badClocks ? Duration.ofSeconds(60) : Duration.ofSeconds(1 + random.nextInt(4));
        Repair repair = new Repair(
                random.nextInt(4) > 0,
                Duration.ofSeconds(10 + random.nextInt(50)),
                16L << 20,
                Duration.ofMillis(random.nextInt(200)),
                skew.multipliedBy(4));
        this.setup = String.format(
                Locale.ROOT,
                "faults of %s, %d nodes, fan-out %s, hedge %s, cancellation %s, batching %s, store %s, repair %s",
                onlyNetwork ? "the network" : "all kinds",
                size,
                fanOut,
                hedge.map(Duration::toString).orElse("none"),
                cancellation,
                batching.enabled() ? "on" : "off",
                memoryFast ? "at once" : "within " + storeDelay,
                repair.enabled() ? "each " + repair.interval() + ", purge after " + repair.purgeAfter() : "at the end");
        Topology topology = Topology.of(IntStream.range(0, size)
                .mapToObj(i -> Node.of("n" + i, "host" + i))
                .toArray(Node[]::new));
        UnaryOperator<ClusterBuilder> configure = builder -> {
            ClusterBuilder configured = builder.readFanOut(fanOut)
                    .cancellation(cancellation)
                    .batching(batching)
                    .inlineValueBytes(Workload.INLINE_BYTES)
                    .timeout(TIMEOUT)
                    .repair(repair)
                    .maxClockSkew(skew)
                    .partitions(64);
            return configured.hedging(hedge.map(Hedging::after).orElse(Hedging.off()));
        };
        SimulatedNode.Lifecycle lifecycle = new SimulatedNode.Lifecycle(
                world, LoopbackNetwork.on(world), configure, topology, memoryFast, storeDelay);
        for (Node node : topology.nodes()) {
            nodes.add(new SimulatedNode(node, new SimulatedDisk(random.split()), lifecycle));
        }
        for (int i = 0; i < options.keys(); i++) {
            keys.add(Key.of("key" + i));
        }
        this.faults = new Faults(random.split(), world, nodes, onlyNetwork, badClocks ? Duration.ofSeconds(90) : skew);
        this.workload = new Workload(
                random.split(), world, nodes, keys, CallOptions.defaults().withPolicy(MAJORITY, REPLICAS));
    }

    /**
     * Runs a simulation. Blocks; other simulations may run on other threads.
     *
     * @param seed decides everything that is left to chance
     * @param options what to do
     * @return what came of it; failures are in it, none is thrown
     */
    public static SimulationReport run(long seed, SimulationOptions options) {
        return new Simulator(seed, options).run();
    }

    private SimulationReport run() {
        List<String> violations = new ArrayList<>();
        try {
            nodes.forEach(SimulatedNode::start);
            nodes.forEach(faults::attach);
            suffer();
            faults.heal();
            if (onlyNetwork) {
                // No hint can have been lost, so that nobody needs to read.
                requireEqualReplicas("by hints alone");
            }
            repairAll();
            requireEqualReplicas("by repair alone");
            settle();
            requireEqualReplicas("after every key was read");
            violations.addAll(workload.hangingCalls());
            violations.addAll(workload.failedAndDone(nodes));
            nodes.forEach(SimulatedNode::stop);
        } catch (AssertionError e) {
            violations.add(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            violations.add("the simulation failed: " + e);
        }
        violations.addAll(workload.violations());
        Map<String, Integer> outcomes = new TreeMap<>();
        workload.history()
                .all()
                .forEach(each -> outcomes.merge(each.outcome().name().toLowerCase(Locale.ROOT), 1, Integer::sum));
        return new SimulationReport(
                seed,
                setup,
                world.elapsed(),
                workload.history().all().size(),
                outcomes,
                faults.counts(),
                violations,
                world.fingerprint());
    }

    private void suffer() {
        long step = 2 * options.time().toNanos() / options.operations();
        for (int i = 0; i < options.operations() && workload.violations().isEmpty(); i++) {
            workload.operate(nodes.get(random.nextInt(nodes.size())));
            if (random.nextInt(CALLS_PER_FAULT) == 0) {
                // At any moment, also while messages are on their way.
                world.schedule(faults::strike, random.nextLong(step));
            }
            // Some calls at the same time, others after a while.
            if (random.nextInt(3) > 0) {
                world.advance(Duration.ofNanos(random.nextLong(step + step / 2)));
            }
        }
    }

    /** Each node repairs what it is a replica of, and tells that nothing kept it from that. */
    private void repairAll() {
        for (SimulatedNode node : nodes) {
            Cluster cluster = node.running().orElseThrow().cluster();
            long before = status(cluster).rounds();
            boolean running = status(cluster).running();
            cluster.repair(Set.of());
            // One that is under way does not count: it began when something may still have been wrong.
            long wanted = before + (running ? 2 : 1);
            world.runUntil(() -> status(cluster).rounds() >= wanted, REPAIR_BOUND);
            status(cluster).lastError().ifPresent(error -> {
                throw new AssertionError("when all was healed, a repair at " + node.node.id() + " failed: " + error);
            });
        }
    }

    private static RepairStatus status(Cluster cluster) {
        return cluster.repairStatus().toCompletableFuture().join();
    }

    /** After the faults: every key can be read everywhere, and once all its replicas have been read they are equal. */
    private void settle() {
        CallOptions quorum = CallOptions.defaults().withPolicy(MAJORITY, REPLICAS);
        CallOptions all = CallOptions.defaults().withPolicy(REPLICAS, REPLICAS);
        int before = workload.history().all().size();
        for (SimulatedNode node : nodes) {
            workload.readAll(node, quorum);
            world.advance(TIMEOUT);
        }
        workload.readAll(nodes.get(0), all);
        world.advance(TIMEOUT);
        List<Operation> reads = workload.history().all();
        for (Operation read : reads.subList(before, reads.size())) {
            if (read.outcome() != Operation.Outcome.DONE) {
                throw new AssertionError("when all was healed: " + read);
            }
        }
    }

    private void requireEqualReplicas(String when) {
        keys.forEach(key -> requireEqualReplicas(key, when));
    }

    private void requireEqualReplicas(Key key, String when) {
        List<NodeId> replicas = nodes
                .get(0)
                .running()
                .orElseThrow()
                .cluster()
                .locate(key)
                .toCompletableFuture()
                .join()
                .replicas()
                .subList(0, REPLICAS)
                .stream()
                .map(Node::id)
                .toList();
        Map<NodeId, Optional<Entry>> held = new TreeMap<>(Comparator.comparing(NodeId::value));
        for (SimulatedNode node : nodes) {
            // What is dead may have been purged by some and not yet by others.
            Optional<Entry> entry = node.running()
                    .orElseThrow()
                    .store()
                    .get(key)
                    .filter(each -> each.isLive(world.currentTimeMillis()));
            if (replicas.contains(node.node.id())) {
                held.put(node.node.id(), entry);
            } else if (entry.isPresent()) {
                throw new AssertionError(node.node.id() + " is no replica of " + key + " and holds " + entry.get());
            }
        }
        if (held.values().stream().distinct().count() > 1) {
            throw new AssertionError(when + ", when all was healed, the replicas of " + key + " hold " + held);
        }
    }
}
