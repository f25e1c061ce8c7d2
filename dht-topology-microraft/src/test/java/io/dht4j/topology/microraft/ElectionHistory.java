package io.dht4j.topology.microraft;

import io.dht4j.spi.NodeRef;
import io.dht4j.testkit.topology.TopologyCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Members elect leaders over a slow network, so that several stand for election at once, and lose power and start again
 * all the time: whoever forgets its vote gives it twice. Every member that leads is given commands.
 */
final class ElectionHistory {

    private static final int STEPS = 250;

    private final SplittableRandom random;
    private final MemberDisks disks;
    private final TopologyCluster cluster;
    private int commands;

    ElectionHistory(Path root, long seed) {
        this.random = new SplittableRandom(seed);
        this.disks = new MemberDisks(root, random, 1_000);
        this.cluster = new TopologyCluster(seed, root, disks::open);
    }

    /** Returns how often the power of a member failed. */
    int live() {
        try (cluster) {
            List<NodeRef> members = cluster.form(3);
            cluster.setNetwork(5, 10, Duration.ofMillis(400 + random.nextInt(1_200)));
            for (int step = 0; step < STEPS; step++) {
                cluster.time().advance(Duration.ofMillis(20 + random.nextInt(300)));
                for (NodeRef member : members) {
                    if (cluster.log(member).leads()) {
                        cluster.append(member, "command " + commands++, Duration.ofSeconds(5));
                    }
                }
                if (random.nextInt(5) == 0) {
                    restart(members.get(random.nextInt(members.size())));
                }
                cluster.check();
            }
            cluster.heal();
            cluster.agree("last");
            cluster.awaitApplied(members);
        }
        return disks.failures();
    }

    private void restart(NodeRef member) {
        disks.failPower(cluster, member);
        cluster.start(member);
    }
}
