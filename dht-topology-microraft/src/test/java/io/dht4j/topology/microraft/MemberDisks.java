package io.dht4j.topology.microraft;

import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLog;
import io.dht4j.store.power.ForgetfulDisk;
import io.dht4j.testkit.topology.TopologyCluster;
import io.dht4j.testkit.topology.TopologyMember;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** The disks of members. A disk lives as long as its power, through many processes. */
final class MemberDisks {

    private final Path root;
    private final SplittableRandom random;
    private final int snapshotEntries;
    private final Map<NodeRef, ForgetfulDisk> disks = new HashMap<>();
    private int failures;

    MemberDisks(Path root, SplittableRandom random, int snapshotEntries) {
        this.root = root;
        this.random = random;
        this.snapshotEntries = snapshotEntries;
    }

    TopologyLog open(TopologyMember member) {
        ForgetfulDisk disk = disks.computeIfAbsent(member.self(), any -> disk(member.directory()));
        MicroRaftOptions options = MicroRaftOptions.of(member.self(), member.initialMembers(), member.directory())
                .withTimes(1, 3)
                .withSnapshotEntries(snapshotEntries);
        return MicroRaftTopologyLog.open(options, member.environment(), disk);
    }

    private ForgetfulDisk disk(Path directory) {
        try {
            return new ForgetfulDisk(directory, random.nextLong());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isOff(NodeRef member) {
        ForgetfulDisk disk = disks.get(member);
        return disk != null && disk.isOff();
    }

    /** Lets the power fail in the middle of one of the next calls. */
    void failPowerAfter(NodeRef member, long calls) {
        disks.get(member).failPowerAfter(calls, path -> true);
    }

    /** Lets no power fail any more. */
    void stay() {
        disks.values().forEach(disk -> disk.failPowerAfter(Long.MAX_VALUE, path -> true));
    }

    /** Ends a member, if it runs, and keeps what its disk has without power. */
    void failPower(TopologyCluster cluster, NodeRef member) {
        Path left = root.resolve("disk" + failures++);
        if (cluster.isRunning(member)) {
            cluster.crash(member);
        }
        cluster.move(member, left);
        try {
            disks.remove(member).leaveIn(left);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int failures() {
        return failures;
    }
}
