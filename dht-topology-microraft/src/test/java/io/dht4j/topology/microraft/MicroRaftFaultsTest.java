package io.dht4j.topology.microraft;

import static io.dht4j.testkit.topology.TopologyCluster.BOUND;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.NodeRef;
import io.dht4j.store.power.ForgetfulDisk;
import io.dht4j.testkit.SearchEffort;
import io.dht4j.testkit.topology.TopologyCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Crashes, losses of power and of messages lose nothing that was agreed. */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
class MicroRaftFaultsTest {

    private static final int SEEDS = Integer.getInteger("dht.topology.seeds", SearchEffort.of(340));
    private static final long FIRST_SEED = Long.getLong("dht.topology.seed", 1);

    @TempDir
    Path root;

    /** A life in virtual time, which returns how often the power of a member failed. */
    private interface History {
        int live(Path directory, long seed);
    }

    @Test
    @Tag("search")
    void agreedCommandsSurviveCrashesAndPowerLoss() throws IOException {
        search(SEEDS, (directory, seed) -> new FaultHistory(directory, seed).live());
    }

    @Test
    @Tag("search")
    void electionsOfMembersThatLosePowerLoseNothing() throws IOException {
        search(Math.max(1, SEEDS / 4), (directory, seed) -> new ElectionHistory(directory, seed).live());
    }

    private void search(int seeds, History history) throws IOException {
        int powerFailures = 0;
        for (long seed = FIRST_SEED; seed < FIRST_SEED + seeds; seed++) {
            Path directory = Files.createDirectory(root.resolve("seed" + seed));
            try {
                powerFailures += history.live(directory, seed);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("-Ddht.topology.seed=" + seed + ": " + e.getMessage(), e);
            }
        }
        assertThat(powerFailures).as("losses of power").isGreaterThan(seeds);
    }

    /** The engine goes on after a failed flush: a follower that has forgotten a command would be counted for it. */
    @Test
    void aFailedFlushEndsTheMemberBeforeItIsCounted() {
        Map<NodeRef, ForgetfulDisk> disks = new HashMap<>();
        TopologyCluster cluster = new TopologyCluster(5, root, member -> {
            ForgetfulDisk disk = disks.computeIfAbsent(member.self(), any -> disk(member.directory()));
            MicroRaftOptions options = MicroRaftOptions.of(member.self(), member.initialMembers(), member.directory());
            return MicroRaftTopologyLog.open(options, member.environment(), disk);
        });
        try (cluster) {
            List<NodeRef> members = cluster.form(3);
            NodeRef leader = cluster.awaitLeader();
            List<NodeRef> others =
                    members.stream().filter(member -> !member.equals(leader)).toList();
            NodeRef failing = others.get(0);
            NodeRef away = others.get(1);
            cluster.agree("a");
            cluster.awaitApplied(members);
            cluster.crash(away);

            // The write is done, its fsync fails.
            disks.get(failing).failPowerAfter(1, path -> true);
            CompletionStage<Long> append = cluster.append(leader, "b", Duration.ofSeconds(3));
            cluster.time().advance(Duration.ofSeconds(3));

            assertThat(append.toCompletableFuture()).isCompletedExceptionally();
            assertThat(cluster.time().await(cluster.log(failing).failure(), BOUND))
                    .contains("cannot be written", "the power is off", "start the node again");
            assertThat(cluster.log(failing).leads()).isFalse();
            Path left = root.resolve("left");
            cluster.crash(failing);
            cluster.move(failing, left);
            disks.remove(failing).leaveIn(left);
            cluster.crash(leader);
            cluster.start(failing);
            cluster.start(away);
            cluster.agree("c");
            cluster.start(leader);
            cluster.awaitApplied(members);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ForgetfulDisk disk(Path directory) {
        try {
            return new ForgetfulDisk(directory, 3);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
