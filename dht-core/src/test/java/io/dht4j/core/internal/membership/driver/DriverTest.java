package io.dht4j.core.internal.membership.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.core.internal.membership.Clusters;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.plan.Plan;
import io.dht4j.core.internal.membership.plan.Planner;
import io.dht4j.core.internal.membership.plan.PreferenceOrder;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.LogMembers;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.BatchProgress;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.RebalanceSettings;
import io.dht4j.core.internal.wire.MembershipReply.Appended;
import io.dht4j.core.internal.wire.MembershipReply.Outcome;
import io.dht4j.core.internal.wire.MembershipReply.Reported;
import io.dht4j.spi.NodeRef;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** The rounds of the driver. */
class DriverTest {

    private static final PreferenceOrder NO_PREFERENCE = new PreferenceOrder() {
        @Override
        public int depth() {
            return 0;
        }

        @Override
        public int member(int partition, int rank) {
            throw new IndexOutOfBoundsException(rank);
        }
    };

    /** Nodes that apply each command, and heirs that have copied everything at once. */
    private static class ModelCluster implements Driver.Cluster {

        private final Set<Integer> silent = new HashSet<>();
        private ClusterState state;
        boolean leads = true;
        private int snapshots;
        private BiConsumer<Command, ClusterState> accepted = (command, before) -> {};

        ModelCluster(ClusterState state) {
            this.state = state;
        }

        void pause(boolean paused) {
            state = Clusters.accepted(
                    state,
                    new Command.SetRebalance(
                            state.epoch(),
                            new RebalanceSettings(state.rebalance().bytesPerSecond(), paused)));
        }

        @Override
        public boolean leads() {
            return leads;
        }

        @Override
        public List<NodeRef> log() {
            return LogMembers.voters(state);
        }

        @Override
        public Optional<ClusterState> state() {
            return Optional.of(state);
        }

        @Override
        public CompletableFuture<Reported> report(Member member) {
            if (silent.contains(member.number())) {
                return CompletableFuture.failedFuture(new IllegalStateException("silent"));
            }
            List<BatchProgress> progress = state.batches().stream()
                    .filter(batch -> batch.to() == member.number())
                    .map(batch -> new BatchProgress(batch.id(), batch.partitions(), 0, 0, Optional.empty()))
                    .toList();
            return CompletableFuture.completedFuture(
                    new Reported(member.incarnation().orElseThrow(), state.epoch(), false, 0, snapshots, progress));
        }

        @Override
        public CompletableFuture<Appended> append(Command command) {
            ClusterState before = state;
            state = Clusters.accepted(before, command);
            accepted.accept(command, before);
            return CompletableFuture.completedFuture(
                    new Appended(Outcome.ACCEPTED, state.epoch(), "", Optional.empty()));
        }

        @Override
        public CompletableFuture<Void> changeLog(List<NodeRef> members) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public Plan plan(ClusterState of) {
            return Planner.plan(of, NO_PREFERENCE);
        }
    }

    private static final class RefusingCluster extends ModelCluster {

        private int appends;

        RefusingCluster() {
            super(Clusters.joined(Clusters.formed(3, 8, 3)));
        }

        @Override
        public CompletableFuture<Appended> append(Command command) {
            appends++;
            return CompletableFuture.completedFuture(
                    new Appended(Outcome.REFUSED, 0, "the rules are others", Optional.empty()));
        }
    }

    @Test
    void commandThatTheStateRefusesIsNamed() {
        VirtualEnvironment env = VirtualEnvironment.seeded(1, 5_000_000);
        RefusingCluster cluster = new RefusingCluster();
        Driver driver = new Driver(cluster, env, new Driver.Options(Duration.ofMinutes(1)));
        driver.start();
        env.advance(Duration.ofMinutes(2));
        assertThat(cluster.appends).isBetween(2, 200);
        assertThat(driver.waits()).anySatisfy(wait -> assertThat(wait).contains("is refused: the rules are others"));
        cluster.leads = false;
        assertThat(driver.waits()).isEmpty();
        driver.close();
    }

    @Test
    void noFurtherJoinsAreWaitedForWhileAReplacementIsFilled() {
        ClusterState three = Clusters.formed(3, 8, 3);
        ClusterState dead = Clusters.accepted(three, new Command.MarkDead(three.epoch(), 3, false));
        ModelCluster cluster = new ModelCluster(Clusters.accepted(
                dead, new Command.Replace(dead.epoch(), 3, Clusters.incarnation(9), Clusters.attributes(3))));
        cluster.silent.add(4);
        VirtualEnvironment env = VirtualEnvironment.seeded(1, 5_000_000);
        Driver driver = new Driver(cluster, env, new Driver.Options(Duration.ofMinutes(1)));
        cluster.accepted = driver::accepted;
        driver.start();
        env.advance(Duration.ofSeconds(5));
        assertThat(driver.waits()).isEmpty();
        cluster.silent.clear();
        env.advance(Duration.ofSeconds(10));
        assertThat(cluster.state.members().get(4).lifecycle()).isEqualTo(Lifecycle.SERVING);
        driver.close();
    }

    /** The time in which moves were paused does not count: the snapshot may be opened at its end. */
    @Test
    void snapshotsAreWaitedForAfterAPauseOfMoves() {
        PartitionSet some = PartitionSet.matching(8, partition -> partition < 2);
        ClusterState joined = Clusters.joined(Clusters.formed(3, 8, 3));
        ModelCluster cluster = new ModelCluster(Clusters.started(joined, 1, 4, some));
        long batch = cluster.state.batches().get(0).id();
        cluster.pause(true);
        VirtualEnvironment env = VirtualEnvironment.seeded(1, 5_000_000);
        Driver driver = new Driver(cluster, env, new Driver.Options(Duration.ofMinutes(1)));
        driver.start();
        env.advance(Duration.ofMinutes(15));
        cluster.snapshots = 1;
        cluster.pause(false);
        env.advance(Duration.ofMinutes(9));
        assertThat(cluster.state.batch(batch).orElseThrow().phase()).isEqualTo(Phase.COPY);
        env.advance(Duration.ofMinutes(2));
        assertThat(cluster.state.batch(batch)).isEmpty();
        driver.close();
    }

    @Test
    void memberThatStaysGetsSlotsBack() {
        ClusterState joined = Clusters.joined(Clusters.formed(3, 64, 3));
        ClusterState few = Clusters.moved(joined, 1, 4, PartitionSet.matching(64, partition -> partition < 2));
        ModelCluster cluster = new ModelCluster(Clusters.accepted(few, new Command.Leave(few.epoch(), 4)));
        cluster.pause(true);
        VirtualEnvironment env = VirtualEnvironment.seeded(1, 5_000_000);
        Driver driver = new Driver(cluster, env, new Driver.Options(Duration.ofMinutes(1)));
        driver.start();
        env.advance(Duration.ofMinutes(2));
        cluster.state = Clusters.accepted(cluster.state, new Command.Serve(cluster.state.epoch(), 4));
        cluster.pause(false);
        env.advance(Duration.ofSeconds(30));
        assertThat(cluster.state.loads()[4]).isEqualTo(2);
        env.advance(Duration.ofMinutes(5));
        assertThat(cluster.state.loads()[4]).isGreaterThan(40);
        driver.close();
    }

    /** A new leader has planned the third replicas, which are copied from the second ones. */
    @Test
    void growthThatEndsWithoutItsHeirIsPlannedAgain() {
        PartitionSet all = PartitionSet.matching(8, partition -> true);
        ClusterState joined = Clusters.joined(Clusters.joined(Clusters.formed(1, 8, 1)));
        ClusterState second = Clusters.accepted(joined, new Command.Serve(joined.epoch(), 2));
        ClusterState third = Clusters.accepted(second, new Command.Serve(second.epoch(), 3));
        ModelCluster cluster = new ModelCluster(Clusters.growing(Clusters.raised(third, 3), 1, 2, all));
        long batch = cluster.state.batches().get(0).id();
        cluster.silent.add(2);
        VirtualEnvironment env = VirtualEnvironment.seeded(1, 5_000_000);
        Driver driver = new Driver(cluster, env, new Driver.Options(Duration.ofMinutes(1)));
        cluster.accepted = driver::accepted;
        driver.start();
        env.advance(Duration.ofMinutes(9));
        assertThat(cluster.state.batch(batch)).isPresent();
        env.advance(Duration.ofMinutes(3));
        assertThat(cluster.state.batch(batch)).isEmpty();
        cluster.silent.clear();
        env.advance(Duration.ofMinutes(3));
        assertThat(cluster.state.slots().hasVacant()).isFalse();
        driver.close();
    }
}
