package io.dht4j.core.internal.membership.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.core.internal.membership.Clusters;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.plan.Plan;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.LogMembers;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.wire.MembershipReply.Appended;
import io.dht4j.core.internal.wire.MembershipReply.Outcome;
import io.dht4j.core.internal.wire.MembershipReply.Reported;
import io.dht4j.spi.NodeRef;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The rounds of the driver. */
class DriverTest {

    private static final class RefusingCluster implements Driver.Cluster {

        private final ClusterState state = Clusters.joined(Clusters.formed(3, 8, 3));
        private int appends;
        private boolean leads = true;

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
            return CompletableFuture.completedFuture(
                    new Reported(member.incarnation().orElseThrow(), state.epoch(), false, 0, 0, List.of()));
        }

        @Override
        public CompletableFuture<Appended> append(Command command) {
            appends++;
            return CompletableFuture.completedFuture(
                    new Appended(Outcome.REFUSED, 0, "the rules are others", Optional.empty()));
        }

        @Override
        public CompletableFuture<Void> changeLog(List<NodeRef> members) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public Plan plan(ClusterState of) {
            return new Plan(List.of(), 0, 0);
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
}
