package io.dht4j.simulator.cluster.order;

import static io.dht4j.simulator.cluster.SimulatedCluster.bytes;
import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.ClockProblem;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.NodeId;
import io.dht4j.Ordering;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.store.ModelStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nobody stamps with a clock that the others contradict, and clocks that are wrong together stop nobody. */
class ClockTest {

    private static final Key KEY = Key.of("key");
    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);

    private static SimulatedCluster cluster(int size) {
        SimulatedCluster cluster = SimulatedCluster.of(3, size).start();
        cluster.env.advance(Duration.ofSeconds(1));
        return cluster;
    }

    private static void set(SimulatedCluster cluster, int node, int seconds) {
        cluster.environments.get(node).setClockOffset(Duration.ofSeconds(seconds));
    }

    private static Optional<ClockProblem> problem(SimulatedCluster cluster, int node) {
        return cluster.await(cluster.node(node).operations().status()).clockProblem();
    }

    private static void assertRefused(SimulatedCluster cluster, int node, CallOptions options) {
        for (var write : List.of(
                cluster.node(node).put(KEY, bytes("wrong"), options),
                cluster.node(node).delete(KEY, options))) {
            DhtException failure = cluster.failureOf(write);
            assertThat(failure.code()).isEqualTo(ErrorCode.CLOCK_CONTRADICTED);
            assertThat(failure.code().action()).isEqualTo(ErrorCode.Action.RETRY_ANYWHERE);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {120, 600, 36_000, -70, -600, -36_000})
    void nodeRefusesWritesWhileItsClockIsWrong(int seconds) {
        try (SimulatedCluster cluster = cluster(3)) {
            cluster.await(cluster.node(1).put(KEY, bytes("right"), ALL));
            set(cluster, 0, seconds);
            assertRefused(cluster, 0, CallOptions.defaults());
            assertRefused(cluster, 0, CallOptions.defaults().withOrdering(Ordering.LINEARIZABLE));
            assertThat(problem(cluster, 0)).hasValueSatisfying(found -> {
                assertThat(found.ahead().toSeconds()).isBetween(seconds - 2L, seconds + 2L);
                assertThat(found.of()).containsExactlyInAnyOrder(new NodeId("n1"), new NodeId("n2"));
            });
            assertThat(problem(cluster, 1)).isEmpty();
            cluster.env.advance(Duration.ofSeconds(3));
            set(cluster, 0, 0);
            cluster.env.advance(Duration.ofSeconds(1));
            assertThat(problem(cluster, 0)).isEmpty();
            // Nothing of then comes back.
            cluster.env.advance(Duration.ofSeconds(Math.abs(seconds) + 10L));
            for (int i = 0; i < 3; i++) {
                assertThat(cluster.stores.get(i).get(KEY).map(entry -> entry.value()))
                        .hasValue(bytes("right"));
            }
            cluster.await(cluster.node(0).put(KEY, bytes("again"), ALL));
        }
    }

    @Test
    void othersServeBesideANodeWithAWrongClock() {
        try (SimulatedCluster cluster = cluster(3)) {
            set(cluster, 0, 600);
            for (int i = 1; i < 3; i++) {
                cluster.await(cluster.node(i).put(KEY, bytes("of" + i)));
                assertThat(cluster.await(cluster.node(0).get(KEY)).map(Value::text))
                        .contains("of" + i);
            }
        }
    }

    @Test
    void clocksTurnedBackTogetherStopNoWrites() {
        try (SimulatedCluster cluster = cluster(3)) {
            cluster.await(cluster.node(2).put(KEY, bytes("before"), ALL));
            for (int i = 0; i < 3; i++) {
                set(cluster, i, -600);
            }
            for (int i = 0; i < 3; i++) {
                cluster.await(cluster.node(i).put(KEY, bytes("after" + i), ALL));
                assertThat(cluster.await(cluster.node((i + 1) % 3).get(KEY, ALL))
                                .map(Value::text))
                        .contains("after" + i);
            }
        }
    }

    @Test
    void nodeAheadOfItsOnlyPeerRefusesWrites() {
        try (SimulatedCluster cluster = cluster(2)) {
            set(cluster, 1, -300);
            CallOptions both = CallOptions.defaults().withPolicy(2, 2);
            cluster.await(cluster.node(0).get(KEY, both));
            assertThat(cluster.failureOf(cluster.node(0).put(KEY, bytes("v"), both))
                            .code())
                    .isEqualTo(ErrorCode.CLOCK_CONTRADICTED);
            assertThat(problem(cluster, 1)).isEmpty();
        }
    }

    @Test
    void aMinorityThatContradictsIsNotBelieved() {
        try (SimulatedCluster cluster = cluster(5)) {
            set(cluster, 3, 300);
            set(cluster, 4, -300);
            cluster.await(cluster.node(0).put(KEY, bytes("v")));
            assertThat(problem(cluster, 0)).isEmpty();
            assertThat(problem(cluster, 3)).isPresent();
            assertThat(problem(cluster, 4)).isPresent();
        }
    }

    @Test
    void firstWriteAfterASilenceNoticesAClockJump() {
        try (SimulatedCluster cluster = cluster(3)) {
            cluster.env.advance(Duration.ofHours(3));
            set(cluster, 0, 120);
            assertRefused(cluster, 0, CallOptions.defaults());
        }
    }

    @Test
    void toleratedSkewAndSlowAnswersStopNoWrites() {
        try (SimulatedCluster cluster = cluster(3)) {
            set(cluster, 0, 55);
            cluster.links.forEach(link -> link.towardAll(Fault.delay(Duration.ofMillis(400), Duration.ofMillis(400))));
            CallOptions patient = CallOptions.defaults().withTimeout(Duration.ofSeconds(20));
            for (int i = 0; i < 20; i++) {
                cluster.await(cluster.node(i % 3).put(KEY, bytes("v" + i), patient));
                cluster.env.advance(Duration.ofSeconds(3));
            }
        }
    }

    @Test
    void startingNodeIssuesNoVersionUntilAnotherNodeAnswers() {
        try (SimulatedCluster cluster = cluster(3)) {
            cluster.stop(0);
            // Its clock stands far off when it comes back, and the others are slow.
            cluster.startNode(0, new ModelStore());
            cluster.links.get(0).towardAll(Fault.delay(Duration.ofMillis(200), Duration.ofMillis(200)));
            set(cluster, 0, 600);
            CompletableFuture<?> put = cluster.node(0).put(KEY, bytes("wrong")).toCompletableFuture();
            cluster.env.runUntil(put::isDone, SimulatedCluster.BOUND);
            assertThat(cluster.failureOf(put).code()).isEqualTo(ErrorCode.CLOCK_CONTRADICTED);
        }
    }

    @Test
    void theFirstAnswerThatContradictsItIsBelievedAtOnce() {
        List<Duration> offset = new ArrayList<>(List.of(Duration.ZERO));
        try (SimulatedCluster cluster = SimulatedCluster.of(3, 3)
                .clocks(i -> i == 0 ? offset.get(0) : Duration.ZERO)
                .start()) {
            cluster.stop(0);
            offset.set(0, Duration.ofMinutes(10));
            cluster.startNode(0, new ModelStore());
            CompletableFuture<?> put = cluster.node(0).put(KEY, bytes("wrong")).toCompletableFuture();
            cluster.env.runUntil(put::isDone, SimulatedCluster.BOUND);
            assertThat(cluster.failureOf(put).code()).isEqualTo(ErrorCode.CLOCK_CONTRADICTED);
        }
    }

    @Test
    void aNodeThatIsClosedBeforeItsFirstWordWritesNothing() {
        try (SimulatedCluster cluster = cluster(3)) {
            cluster.stop(0);
            cluster.startNode(0, new ModelStore());
            cluster.links.get(0).towardAll(Fault.loseRequest());
            CompletableFuture<?> put = cluster.node(0).put(KEY, bytes("wrong")).toCompletableFuture();
            assertThat(put).isNotDone();
            cluster.stop(0);
            assertThat(cluster.failureOf(put).code()).isEqualTo(ErrorCode.NOT_SERVING);
        }
    }

    @Test
    void nodesThatAreNotThereAreNotWaitedFor() {
        try (SimulatedCluster cluster = cluster(3)) {
            cluster.stop(0);
            cluster.stop(1);
            cluster.stop(2);
            cluster.startNode(0, new ModelStore());
            CallOptions alone = CallOptions.defaults().withPolicy(1, 3);
            // Nothing listens at the others' addresses: nobody is waited for.
            Duration before = cluster.env.elapsed();
            cluster.await(cluster.node(0).put(KEY, bytes("v"), alone));
            assertThat(cluster.env.elapsed().minus(before)).isLessThan(Duration.ofMillis(100));
        }
    }

    @Test
    void entriesOfAWrongClockAreNotShownEarly() {
        try (SimulatedCluster cluster = cluster(3)) {
            cluster.await(cluster.node(1).put(KEY, bytes("right"), ALL));
            long ahead = cluster.env.currentTimeMillis() + 120_000;
            cluster.stores.get(0).apply(List.of(Entry.value(KEY, Version.of(ahead, 0), bytes("wrong"), Entry.NEVER)));
            for (int i = 0; i < 3; i++) {
                assertThat(cluster.await(cluster.node(i).get(KEY)).map(Value::text))
                        .contains("right");
            }
            cluster.links.get(0).toward(id(1), Fault.refuse());
            assertThat(cluster.failureOf(cluster.node(0).get(KEY)))
                    .as("every reason is named")
                    .hasMessageContaining("too far ahead of its clock")
                    .hasMessageContaining("n1: call to n1 was refused");
        }
    }
}
