package io.dht4j.simulator;

import io.dht4j.CallOptions;
import io.dht4j.CancellationPolicy;
import io.dht4j.Hedging;
import io.dht4j.Ordering;
import io.dht4j.ReadFanOut;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.options.Batching;
import io.dht4j.core.options.Repair;
import io.dht4j.simulator.SimulationOptions.Mode;
import io.dht4j.simulator.internal.node.SimulatedNode;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * The configuration of a simulated cluster, and its possible faults.
 *
 * @param size how many nodes there are
 * @param onlyNetwork whether faults are limited to the network, without those of processes, disks and clocks
 * @param fanOut how many replicas a read asks
 * @param hedge when a read asks one more replica
 * @param cancellation of requests to replicas
 * @param batching of requests to replicas
 * @param memoryFast whether stores answer on the calling thread
 * @param storeDelay the largest delay of store tasks, if stores do not answer on the calling thread
 * @param repair in the background
 * @param skew how far ahead a version may be
 * @param farthestClock the largest error of a clock after a jump, in either direction
 * @param drifts the drift of each node's clock in parts per million; negative for a slow clock
 * @param ordering of the operations on a key
 * @param maxInFlight how many calls may be in flight at a node; further calls are refused
 * @param purges whether dead entries are purged during the simulation. If not, purge watermarks are installed but lie
 *     before all entries, and snapshots are taken, which do not stop purging
 * @param partitions how many partitions the cluster has
 * @param membership how the cluster gets its nodes
 * @param calm whether there are no faults at all, so that no call may fail
 * @param replicas the number of replicas at first; if there are fewer than {@link #REPLICAS}, it is raised
 */
record Setup(
        int size,
        boolean onlyNetwork,
        ReadFanOut fanOut,
        Optional<Duration> hedge,
        CancellationPolicy cancellation,
        Batching batching,
        boolean memoryFast,
        Duration storeDelay,
        Repair repair,
        Duration skew,
        Duration farthestClock,
        List<Integer> drifts,
        Ordering ordering,
        int maxInFlight,
        boolean purges,
        int partitions,
        Mode membership,
        boolean calm,
        int replicas) {

    static final int REPLICAS = 3;

    /** Larger clock errors reveal no further bugs. */
    private static final int FARTHEST_SECONDS = 2 * 3600;

    /** The largest drift of an intact clock, in parts per million. */
    static final int ORDINARY_DRIFT = 500;

    private static final List<CancellationPolicy> CANCELLATIONS =
            List.of(CancellationPolicy.NEVER, CancellationPolicy.LOCAL, CancellationPolicy.PROPAGATE);
    private static final int LONGEST_STORE_MILLIS = 30;
    private static final Duration LONGEST_SIMULATION = Duration.ofDays(1);
    private static final int PARTITIONS = 64;
    /** Few, so that each of them has keys when it moves. */
    private static final int FEW_PARTITIONS = 8;
    /** Heartbeats cost time, and larger errors of clocks are healed by waiting. */
    private static final Duration FARTHEST_WHILE_CHANGING = Duration.ofMinutes(5);
    /** Enough for the client that reads each key at the end. */
    private static final int FEW_IN_FLIGHT = 8;

    private static final int MANY_IN_FLIGHT = 10_000;
    /** One in this number of clocks is broken. */
    private static final int BROKEN_CLOCKS = 8;

    private static final long MILLION = 1_000_000;
    /** Drifts from a nearly stopped clock to one of double speed. */
    private static final long MOST_DRIFT = MILLION - 1;

    /**
     * Draws a setup at random.
     *
     * @param time the mean time of calls and faults over all seeds
     */
    static Setup drawn(SplittableRandom random, Duration time) {
        int size = random.nextBoolean() ? REPLICAS : 5;
        boolean memoryFast = random.nextBoolean();
        Duration storeDelay = Duration.ofMillis(random.nextInt(LONGEST_STORE_MILLIS));
        ReadFanOut fanOut = random.nextBoolean() ? ReadFanOut.ALL : ReadFanOut.ENOUGH;
        Optional<Duration> hedge =
                random.nextInt(3) == 0 ? Optional.of(Duration.ofMillis(1 + random.nextInt(100))) : Optional.empty();
        CancellationPolicy cancellation = CANCELLATIONS.get(random.nextInt(CANCELLATIONS.size()));
        // Few frames and small limits, so that requests are both combined and split.
        Batching batching = random.nextBoolean()
                ? new Batching(true, 1 + random.nextInt(8), 1024, 1 + random.nextInt(2))
                : Batching.off();
        boolean onlyNetwork = random.nextInt(4) == 0;
        // Short intervals of sessions and early purges, so that both coincide with faults.
        boolean badClocks = random.nextBoolean();
        Duration skew = badClocks ? Duration.ofSeconds(60) : Duration.ofSeconds(1 + random.nextInt(4));
        boolean purges = random.nextBoolean();
        Repair repair = new Repair(
                random.nextInt(4) > 0,
                Duration.ofSeconds(10 + random.nextInt(50)),
                16L << 20,
                Duration.ofMillis(random.nextInt(200)),
                purges ? skew.multipliedBy(4) : LONGEST_SIMULATION);
        Duration farthestClock = badClocks ? Duration.ofSeconds(90) : skew;
        // Purging relies on clocks that are off by at most twice the skew; the order of writes does not.
        if (!purges && random.nextInt(3) == 0) {
            farthestClock = Duration.ofSeconds(5 + random.nextInt(FARTHEST_SECONDS));
        }
        Ordering ordering = random.nextInt(3) == 0 ? Ordering.LINEARIZABLE : Ordering.REAL_TIME;
        int maxInFlight = random.nextInt(3) == 0 ? FEW_IN_FLIGHT + random.nextInt(FEW_IN_FLIGHT) : MANY_IN_FLIGHT;
        List<Integer> drifts = onlyNetwork
                ? Collections.nCopies(size, 0)
                : drifts(
                        random,
                        size,
                        skew.multipliedBy(2).minus(farthestClock),
                        time.multipliedBy(3).dividedBy(2));
        return new Setup(
                size,
                onlyNetwork,
                fanOut,
                hedge,
                cancellation,
                batching,
                memoryFast,
                storeDelay,
                repair,
                skew,
                farthestClock,
                drifts,
                ordering,
                maxInFlight,
                purges,
                PARTITIONS,
                Mode.STATIC,
                false,
                REPLICAS);
    }

    /** Returns the same setup of an agreed cluster. */
    Setup ofAgreedCluster() {
        return of(Mode.AGREED, PARTITIONS, onlyNetwork, farthestClock, drifts, maxInFlight, false, REPLICAS);
    }

    /**
     * Returns the same setup of a cluster whose nodes change.
     *
     * @param mode the mode of the simulation
     * @param nothingFails whether there are no faults at all
     * @param atFirst the number of replicas at first
     */
    Setup ofChangingCluster(Mode mode, boolean nothingFails, int atFirst) {
        return of(
                mode,
                FEW_PARTITIONS,
                onlyNetwork || nothingFails,
                farthestClock.compareTo(FARTHEST_WHILE_CHANGING) > 0 ? FARTHEST_WHILE_CHANGING : farthestClock,
                nothingFails ? Collections.nCopies(size, 0) : drifts,
                nothingFails ? MANY_IN_FLIGHT : maxInFlight,
                nothingFails,
                atFirst);
    }

    private Setup of(
            Mode mode,
            int count,
            boolean network,
            Duration farthest,
            List<Integer> clockDrifts,
            int inFlight,
            boolean nothingFails,
            int atFirst) {
        return new Setup(
                size,
                network,
                fanOut,
                hedge,
                cancellation,
                batching,
                memoryFast,
                storeDelay,
                repair,
                skew,
                farthest,
                clockDrifts,
                ordering,
                inFlight,
                purges,
                count,
                mode,
                nothingFails,
                atFirst);
    }

    boolean agreed() {
        return membership != Mode.STATIC;
    }

    /** Returns whether replicas are added. */
    boolean grows() {
        return replicas < REPLICAS;
    }

    /** Returns the options of calls: a majority of the replicas, also while their number is raised. */
    CallOptions ofCalls() {
        return grows() ? CallOptions.defaults() : CallOptions.defaults().withPolicy(Simulator.MAJORITY, REPLICAS);
    }

    /**
     * Draws the drifts of intact clocks, and of some broken ones.
     *
     * @param most the largest error from drift alone. The error of a clock that has jumped is at most twice the skew,
     *     on which purging relies
     * @param time how long a broken clock takes to reach this error
     */
    private static List<Integer> drifts(SplittableRandom random, int size, Duration most, Duration time) {
        int broken = Math.toIntExact(Math.max(
                ORDINARY_DRIFT, Math.min(MOST_DRIFT, MILLION * most.toMillis() / Math.max(1, time.toMillis()))));
        int ordinary = Math.min(ORDINARY_DRIFT, broken);
        return IntStream.range(0, size)
                .mapToObj(i -> {
                    int farthest = random.nextInt(BROKEN_CLOCKS) == 0 ? broken : ordinary;
                    return random.nextInt(2 * farthest + 1) - farthest;
                })
                .toList();
    }

    /** Returns the options of each node. */
    SimulatedNode.Options ofNode() {
        return new SimulatedNode.Options(storeDelay, memoryFast, this::configure);
    }

    private ClusterBuilder configure(ClusterBuilder builder) {
        return builder.readFanOut(fanOut)
                .cancellation(cancellation)
                .batching(batching)
                .hedging(hedge.map(Hedging::after).orElse(Hedging.off()))
                .inlineValueBytes(Workload.INLINE_BYTES)
                .timeout(Simulator.TIMEOUT)
                .repair(repair)
                .maxClockSkew(skew)
                .ordering(ordering)
                .maxInFlight(maxInFlight)
                .partitions(partitions)
                .drainTimeout(Duration.ZERO);
    }

    /**
     * Returns whether a node may lose its disk and start with an empty one. In an agreed cluster another node takes its
     * place instead.
     */
    boolean losesDisks() {
        return !onlyNetwork && !agreed();
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%sfaults of %s, %d nodes, ordering %s, fan-out %s, hedge %s, cancellation %s, batching %s, store "
                        + "%s, clocks that jump by %s at most and drift by %s ppm, %d calls at a time, repair %s",
                (agreed() ? membership.name().toLowerCase(Locale.ROOT) + ", " : "")
                        + (grows() ? replicas + " replicas at first, " : ""),
                calm ? "no kind" : onlyNetwork ? "the network" : "all kinds",
                size,
                ordering,
                fanOut,
                hedge.map(Duration::toString).orElse("none"),
                cancellation,
                batching.enabled() ? "on" : "off",
                memoryFast ? "at once" : "within " + storeDelay,
                farthestClock,
                drifts,
                maxInFlight,
                (repair.enabled() ? "each " + repair.interval() : "at the end")
                        + (purges ? ", purge after " + repair.purgeAfter() : ", without purges"));
    }
}
