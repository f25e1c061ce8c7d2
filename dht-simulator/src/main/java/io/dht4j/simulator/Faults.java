package io.dht4j.simulator;

import io.dht4j.Version;
import io.dht4j.simulator.internal.node.SimulatedDisk;
import io.dht4j.simulator.internal.node.SimulatedNode;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Injects the faults of a simulation. Confined to the simulation's thread.
 *
 * <ul>
 *   <li>Links lose, delay or repeat messages, or report failures of delivered ones. They are cut in one direction or
 *       both.
 *   <li>Nodes crash, lose power, shut down or pause. At most a minority of them is down for long, so that calls can
 *       succeed.
 *   <li>Clocks drift and jump.
 *   <li>Disks are full, fail, or are lost.
 * </ul>
 *
 * <p>Each fault ends by itself after a while, except those of clocks.
 */
final class Faults {

    private static final Duration FOR_EVER = Duration.ofDays(1);
    /** Only a division lasts longer. */
    private static final Duration DIVIDED = Duration.ofHours(2);

    private static final Duration LONGEST_AHEAD = Duration.ofSeconds(90);
    private static final int LONGEST_SECONDS = 20;
    /** The unit of the duration of such a cut: longer than the replacement of a disk. */
    private static final Duration CUT_OF_REFILL = Duration.ofSeconds(8);

    private final SplittableRandom random;
    private final VirtualEnvironment world;
    private final List<SimulatedNode> nodes;
    private final Setup setup;
    private final Map<String, Integer> counts = new TreeMap<>();
    /** When each cut ends, in elapsed time. Until then packets in its direction are lost. */
    private final Map<Direction, Duration> cuts = new HashMap<>();
    /** The percentage of calls with a fault. */
    private int hurtPercent;

    private boolean over;

    /** A link in one direction. */
    private record Direction(SimulatedNode from, SimulatedNode to) {}

    /**
     * Creates the faults of a simulation, none of them active.
     *
     * @param setup the possible faults
     */
    Faults(SplittableRandom random, VirtualEnvironment world, List<SimulatedNode> nodes, Setup setup) {
        this.random = random;
        this.world = world;
        this.nodes = nodes;
        this.setup = setup;
        this.hurtPercent = setup.calm() ? 0 : random.nextInt(3) * 10;
    }

    /** Sets the initial errors of the clocks. */
    void begin() {
        for (int i = 0; i < nodes.size(); i++) {
            // A small error: a node that has not heard from the others assigns versions behind or ahead of theirs.
            int slack = Math.toIntExact(setup.skew().toMillis() / 2);
            if (!setup.onlyNetwork() && random.nextBoolean()) {
                nodes.get(i).setClock(Duration.ofMillis(random.nextInt(2 * slack) - slack));
            }
            int drift = setup.drifts().get(i);
            nodes.get(i).setClockDrift(drift);
            if (drift != 0) {
                count(Math.abs(drift) <= Setup.ORDINARY_DRIFT ? "drift of a clock" : "drift of a broken clock");
            }
        }
    }

    Map<String, Integer> counts() {
        return counts;
    }

    /** Injects faults into the links of all nodes. */
    void attachAll() {
        nodes.forEach(this::attach);
    }

    /** Injects faults into the links of a node that has just been started. */
    void attach(SimulatedNode from) {
        from.links().ifPresent(links -> {
            for (SimulatedNode to : nodes) {
                links.toward(to.node.id(), () -> onCall(from, to));
            }
        });
    }

    private Fault onCall(SimulatedNode from, SimulatedNode to) {
        if (over) {
            return Fault.none();
        }
        if (isCut(from, to)) {
            return Fault.loseRequest();
        }
        if (isCut(to, from)) {
            return Fault.loseReply();
        }
        if (random.nextInt(100) >= hurtPercent) {
            return random.nextInt(4) == 0 ? delay(5) : Fault.none();
        }
        return switch (random.nextInt(7)) {
            case 0 -> Fault.loseRequest();
            case 1 -> Fault.loseReply();
            case 2 -> Fault.refuse();
            case 3 -> Fault.failAfterDelivery();
            case 4 -> Fault.repeat(Duration.ofMillis(random.nextInt(5000)));
            default -> delay(400);
        };
    }

    private Fault delay(int millis) {
        return Fault.delay(Duration.ofMillis(random.nextInt(millis)), Duration.ofMillis(random.nextInt(millis)));
    }

    private boolean isCut(SimulatedNode from, SimulatedNode to) {
        Duration until = cuts.get(new Direction(from, to));
        return until != null && until.compareTo(world.elapsed()) > 0;
    }

    /** Starts a random fault. */
    void strike() {
        if (over || setup.calm()) {
            // The fault was scheduled for after the last call.
            return;
        }
        SimulatedNode node = nodes.get(random.nextInt(nodes.size()));
        if (setup.onlyNetwork()) {
            strikeNetwork(node);
            return;
        }
        switch (random.nextInt(setup.losesDisks() ? 12 : 10)) {
            case 0, 1 -> end(node, "crash", () -> node.crash(false), someTime());
            case 2, 3 -> end(node, "loss of power", () -> node.crash(true), someTime());
            case 4 -> end(node, "restart", node::stop, someTime());
            case 5 -> jump(node);
            case 6 -> {
                count("disk full");
                fill(node);
            }
            case 7 -> {
                count("failed write of a disk");
                node.disk().failNextWrite();
            }
            case 10, 11 -> loseDisk(node);
            default -> strikeNetwork(node);
        }
    }

    private void strikeNetwork(SimulatedNode node) {
        switch (random.nextInt(4)) {
            case 0 -> {
                count("pause");
                node.pause(someTime());
            }
            case 1, 2 -> cut(node, random.nextBoolean());
            default -> {
                count("change of the network");
                hurtPercent = random.nextInt(5) * 10;
            }
        }
    }

    private void end(SimulatedNode node, String what, Runnable way, Duration time) {
        long down = nodes.stream().filter(each -> each.running().isEmpty()).count();
        if (node.running().isEmpty() || 2 * (down + 1) >= nodes.size()) {
            return;
        }
        count(what);
        way.run();
        world.schedule(() -> start(node), time.toNanos());
    }

    /**
     * Loses a disk, and with it the entries that it alone had. A second disk is lost only after the first has been
     * refilled.
     */
    private void loseDisk(SimulatedNode node) {
        if (nodes.stream().allMatch(each -> each == node || each.disk().isWhole())) {
            Runnable lose = () -> {
                node.crash(true);
                node.disk().replace();
                cutOneFrom(node);
            };
            // The new disk arrives only after every call that relies on the old one has timed out.
            end(node, "loss of a disk", lose, Simulator.TIMEOUT.plus(someTime()));
        }
    }

    /** Cuts the lost disk's node from one of the nodes with its entries, so that the refill takes a while. */
    private void cutOneFrom(SimulatedNode node) {
        List<SimulatedNode> others = new ArrayList<>(nodes);
        others.remove(node);
        SimulatedNode other = others.get(random.nextInt(others.size()));
        Duration until = world.elapsed().plus(CUT_OF_REFILL.multipliedBy(1 + random.nextInt(4)));
        cuts.put(new Direction(node, other), until);
        cuts.put(new Direction(other, node), until);
    }

    private void start(SimulatedNode node) {
        if (!node.hasProcess() && !node.isAway()) {
            node.start();
            attach(node);
        }
    }

    /** Kills or pauses a node, or cuts it off, unless too many are down. Returns the fault; empty if there was none. */
    Optional<String> strike(SimulatedNode node) {
        if (over || setup.calm() || node.running().isEmpty()) {
            return Optional.empty();
        }
        int what = random.nextInt(4);
        if (what == 0 || (what >= 2 && setup.onlyNetwork())) {
            cutOff(List.of(node));
            return Optional.of("cut off");
        }
        if (what == 1) {
            node.pause(someTime());
            return Optional.of("paused");
        }
        boolean power = what == 2;
        end(node, power ? "loss of power" : "crash", () -> node.crash(power), someTime());
        return node.hasProcess() ? Optional.empty() : Optional.of("killed");
    }

    /** Kills a node, and starts it again while the calls that it served are still under way. */
    void interrupt(SimulatedNode node, Duration time) {
        if (!over && !setup.calm() && !setup.onlyNetwork()) {
            end(node, "crash for a moment", () -> node.crash(false), time);
        }
    }

    /** Fills the disk of a node for a while. Returns whether it did. */
    boolean fill(SimulatedNode node) {
        if (over || setup.onlyNetwork()) {
            return false;
        }
        SimulatedDisk disk = node.disk();
        disk.setFull(true);
        later(() -> disk.setFull(false));
        return true;
    }

    /** Loses the disk of a node permanently, unless too many nodes are down. Returns whether it did. */
    boolean lose(SimulatedNode node) {
        long down = nodes.stream().filter(each -> each.running().isEmpty()).count();
        if (over || setup.onlyNetwork() || node.running().isEmpty() || 2 * (down + 1) >= nodes.size()) {
            return false;
        }
        count("loss of a disk for ever");
        node.goAway();
        node.crash(true);
        node.disk().lose();
        return true;
    }

    /** Loses the disk of a node permanently, and kills another one. Returns whether it did. */
    boolean lose(SimulatedNode node, SimulatedNode down) {
        if (nodes.size() < 5 || !lose(node)) {
            return false;
        }
        down.goAway();
        down.crash(true);
        return true;
    }

    /** Starts a node that was away. */
    void comeBack(SimulatedNode node) {
        node.comeBack();
        start(node);
    }

    /** Cuts some nodes off from the others, but not from one another. Returns whether it did. */
    boolean cutOff(List<SimulatedNode> some) {
        if (over || setup.calm()) {
            return false;
        }
        cut(some, world.elapsed().plus(someTime()));
        return true;
    }

    /** Cuts some nodes off from all others, until they are {@linkplain #reunite reunited} or all faults end. */
    void divide(List<SimulatedNode> side) {
        cut(side, world.elapsed().plus(FOR_EVER));
    }

    /** Ends the cut between some nodes and all others. */
    void reunite(List<SimulatedNode> side) {
        cuts.keySet().removeIf(link -> side.contains(link.from()) != side.contains(link.to()));
    }

    private void cut(List<SimulatedNode> some, Duration until) {
        for (SimulatedNode one : some) {
            for (SimulatedNode other : nodes) {
                if (!some.contains(other)) {
                    cut(one, other, until);
                    cut(other, one, until);
                }
            }
        }
    }

    /** Cuts a link in one direction, unless the cluster is divided there. */
    private void cut(SimulatedNode from, SimulatedNode to, Duration until) {
        cuts.merge(
                new Direction(from, to),
                until,
                (before, now) -> before.compareTo(world.elapsed().plus(DIVIDED)) > 0 ? before : now);
    }

    /** Starts two nodes with one another's addresses, and later with their own ones again. */
    void swapAddresses(SimulatedNode one, SimulatedNode other) {
        long down = nodes.stream().filter(each -> each.running().isEmpty()).count();
        if (over
                || setup.onlyNetwork()
                || one == other
                || one.running().isEmpty()
                || other.running().isEmpty()
                || 2 * (down + 2) >= nodes.size()) {
            return;
        }
        count("swap of addresses");
        restartAt(one, other.node.address());
        restartAt(other, one.node.address());
        later(() -> {
            restartAt(one, one.node.address());
            restartAt(other, other.node.address());
        });
    }

    /** Kills a node, and starts it soon afterwards, when the other one has left the address too. */
    private void restartAt(SimulatedNode node, String address) {
        node.crash(false);
        node.listenAt(address);
        world.schedule(() -> start(node), 1);
    }

    /** Ends all nodes at once, and starts each after a while. */
    void stopAll() {
        if (over || setup.calm() || setup.onlyNetwork()) {
            return;
        }
        count("full stop");
        for (SimulatedNode node : nodes) {
            node.crash(random.nextBoolean());
            world.schedule(() -> start(node), someTime().toNanos());
        }
    }

    private void cut(SimulatedNode node, boolean bothWays) {
        count(bothWays ? "cut" : "cut in one direction");
        Duration until = world.elapsed().plus(someTime());
        List<SimulatedNode> others = new ArrayList<>(nodes);
        others.remove(node);
        if (random.nextBoolean()) {
            others = List.of(others.get(random.nextInt(others.size())));
        }
        boolean inward = random.nextBoolean();
        for (SimulatedNode other : others) {
            if (bothWays || inward) {
                cut(other, node, until);
            }
            if (bothWays || !inward) {
                cut(node, other, until);
            }
        }
    }

    private void jump(SimulatedNode node) {
        count("jump of a clock");
        int millis = Math.toIntExact(setup.farthestClock().toMillis());
        node.setClock(Duration.ofMillis(random.nextInt(2 * millis) - millis));
    }

    private Duration someTime() {
        // Mostly short faults, which coincide with running calls.
        int millis = random.nextBoolean() ? 500 : LONGEST_SECONDS * 1000;
        return Duration.ofMillis(1 + random.nextInt(millis));
    }

    private void later(Runnable end) {
        world.schedule(end, someTime().toNanos());
    }

    void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    /** Ends all faults: every node runs, links are reliable, clocks are right, disks have room. */
    void heal() {
        over = true;
        for (SimulatedNode node : nodes) {
            node.disk().mend();
            node.setClock(Duration.ZERO);
            node.setClockDrift(0);
        }
        // By then paused nodes have resumed, and scheduled starts have happened.
        world.advance(Duration.ofSeconds(LONGEST_SECONDS));
        nodes.forEach(this::start);
        // Waits until all nodes accept the versions of clocks that were ahead. Few versions are further ahead: those
        // of a node that had not yet been informed of its wrong clock.
        Duration usual = setup.farthestClock().compareTo(LONGEST_AHEAD) < 0 ? setup.farthestClock() : LONGEST_AHEAD;
        world.advance(usual.multipliedBy(2));
        long ahead = nodes.stream()
                        .flatMap(node ->
                                Stream.concat(node.disk().everKept().map(Entry::version), promised(node.disk())))
                        .mapToLong(Version::millis)
                        .max()
                        .orElse(0)
                - world.currentTimeMillis();
        if (ahead > 0) {
            world.advance(Duration.ofMillis(ahead));
        }
    }

    /** Returns the ballot up to which a node may have promised, which counts after a restart too. */
    private static Stream<Version> promised(SimulatedDisk disk) {
        return disk.note("atomic-bound").stream()
                .map(bytes -> new Version(ByteBuffer.wrap(bytes).getLong()));
    }
}
