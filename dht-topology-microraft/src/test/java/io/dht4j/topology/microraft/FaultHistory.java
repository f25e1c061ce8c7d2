package io.dht4j.topology.microraft;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.NodeRef;
import io.dht4j.spi.StoreException;
import io.dht4j.testkit.topology.TopologyCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;

/**
 * Members on disks that lose power and a network that loses a tenth of its messages, with processes that crash, and
 * members that are replaced. At any time a majority has its disks.
 */
final class FaultHistory {

    private static final int STEPS = 150;

    private final SplittableRandom random;
    private final TopologyCluster cluster;
    private final MemberDisks disks;

    private final Map<NodeRef, Integer> downFor = new LinkedHashMap<>();
    private final List<NodeRef> gone = new ArrayList<>();
    private List<NodeRef> members = new ArrayList<>();
    private int commands;

    FaultHistory(Path root, long seed) {
        this.random = new SplittableRandom(seed);
        this.disks = new MemberDisks(root, random, 10 + random.nextInt(30));
        this.cluster = new TopologyCluster(seed, root, disks::open);
    }

    /** Returns how often the power of a member failed. */
    int live() {
        try (cluster) {
            members = new ArrayList<>(cluster.form(random.nextInt(4) == 0 ? 5 : 3));
            disturbNetwork();
            for (int step = 0; step < STEPS; step++) {
                step();
                cluster.time().advance(Duration.ofMillis(50 + random.nextInt(900)));
                cluster.check();
            }
            recover();
        }
        return disks.failures();
    }

    private void step() {
        restartSome();
        endThoseWithoutPower();
        NodeRef leader = cluster.leader();
        for (int i = random.nextInt(4); i > 0 && leader != null; i--) {
            cluster.append(leader, "command " + commands++, Duration.ofMillis(100 + random.nextInt(5000)));
        }
        if (mayLoseOneMore()) {
            NodeRef victim = members.get(random.nextInt(members.size()));
            switch (random.nextInt(24)) {
                case 0, 1 -> {
                    cluster.crash(victim);
                    downFor.put(victim, 1 + random.nextInt(20));
                }
                case 2, 3 -> disks.failPowerAfter(victim, random.nextInt(12));
                case 4 -> failPower(victim);
                case 5 -> cluster.isolate(victim);
                case 6 -> replace(victim);
                default -> {}
            }
        }
        if (random.nextInt(12) == 0) {
            cluster.heal();
            disturbNetwork();
        }
    }

    /** Messages may be late enough that the leader has changed twice. */
    private void disturbNetwork() {
        int longest = switch (random.nextInt(8)) {
            case 0 -> 800;
            case 1 -> 8_000;
            default -> 40;
        };
        cluster.setNetwork(10, 5, Duration.ofMillis(longest));
    }

    /** A member that is replaced may have to be known as silent first. */
    private void replace(NodeRef victim) {
        NodeRef leader = cluster.leader();
        if (leader == null || gone.size() > 3) {
            return;
        }
        NodeRef heir = cluster.newNode(victim.name() + "x");
        cluster.start(heir);
        List<NodeRef> wanted = new ArrayList<>(members);
        wanted.set(wanted.indexOf(victim), heir);
        CompletionStage<Void> change =
                cluster.log(leader).changeMembers(wanted, cluster.within(Duration.ofSeconds(40)));
        cluster.time().advance(Duration.ofSeconds(41));
        if (change.toCompletableFuture().isCompletedExceptionally()) {
            finishChange(wanted);
        }
        gone.add(victim);
        members = wanted;
        if (cluster.isRunning(victim) && random.nextBoolean()) {
            cluster.crash(victim);
        }
        downFor.remove(victim);
    }

    /** What was begun is made whole, so that it is known which disks count. */
    private void finishChange(List<NodeRef> wanted) {
        startAll();
        cluster.heal();
        for (int attempt = 0; attempt < 8; attempt++) {
            NodeRef leader = cluster.awaitLeader();
            CompletionStage<Void> change =
                    cluster.log(leader).changeMembers(wanted, cluster.within(Duration.ofSeconds(30)));
            cluster.time().advance(Duration.ofSeconds(31));
            if (!change.toCompletableFuture().isCompletedExceptionally()) {
                return;
            }
        }
        throw new AssertionError("the members could not be changed to " + wanted);
    }

    /** All but one of the minority may be away, so that there is progress at times, and no majority at others. */
    private boolean mayLoseOneMore() {
        return members.stream().allMatch(cluster::isRunning) && members.stream().noneMatch(disks::isOff);
    }

    private void restartSome() {
        for (NodeRef member : List.copyOf(downFor.keySet())) {
            int left = downFor.merge(member, -1, Integer::sum);
            if (left <= 0) {
                start(member);
            }
        }
    }

    /** The power may fail in the middle of a start. */
    private void start(NodeRef member) {
        downFor.remove(member);
        try {
            cluster.start(member);
        } catch (StoreException e) {
            if (!disks.isOff(member)) {
                throw e;
            }
            failPower(member);
        }
    }

    private void endThoseWithoutPower() {
        for (NodeRef member : members) {
            if (disks.isOff(member) && cluster.isRunning(member)) {
                failPower(member);
            }
        }
    }

    private void failPower(NodeRef member) {
        disks.failPower(cluster, member);
        downFor.put(member, 1 + random.nextInt(20));
    }

    private void startAll() {
        endThoseWithoutPower();
        while (!downFor.isEmpty()) {
            List.copyOf(downFor.keySet()).forEach(this::start);
        }
    }

    private void recover() {
        // Nothing of the disks fails from here on.
        endThoseWithoutPower();
        disks.stay();
        startAll();
        cluster.heal();
        cluster.agree("last");
        cluster.awaitApplied(members);
        // Only what was forced is left.
        members.forEach(this::failPower);
        startAll();
        cluster.agree("after a loss of all power");
        cluster.awaitApplied(members);
        assertThat(cluster.confirmed()).as("progress").isGreaterThan(2);
    }
}
