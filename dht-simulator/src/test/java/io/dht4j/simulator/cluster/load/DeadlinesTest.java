package io.dht4j.simulator.cluster.load;

import static io.dht4j.simulator.cluster.SimulatedCluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Writes in flight together, of which each has its own deadline. */
class DeadlinesTest {

    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);

    private static Duration millis(int millis) {
        return Duration.ofMillis(millis);
    }

    @Test
    void eachWriteFailsAtItsOwnDeadlineWhateverOthersDo() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            cluster.await(cluster.node(0).put(Key.of("first"), bytes("v")));
            cluster.towardNode(1, Fault.loseRequest());
            Duration start = cluster.env.elapsed();
            List<Integer> timeouts = new ArrayList<>();
            for (int i = 1; i <= 60; i++) {
                timeouts.add(10 * i);
            }
            Collections.shuffle(timeouts, new Random(3));
            Map<Integer, Duration> failed = new LinkedHashMap<>();
            for (int timeout : timeouts) {
                cluster.node(0)
                        .put(Key.of("k" + timeout), bytes("v"), ALL.withTimeout(millis(timeout)))
                        .whenComplete((version, error) -> {
                            assertThat(DhtException.unwrap(error))
                                    .isInstanceOfSatisfying(
                                            DhtException.class,
                                            e -> assertThat(e.code()).isEqualTo(ErrorCode.WRITE_INDETERMINATE));
                            failed.put(timeout, cluster.env.elapsed().minus(start));
                        });
                // Of an earlier deadline than most, and acknowledged at once.
                cluster.await(cluster.node(0)
                        .put(
                                Key.of("done" + timeout),
                                bytes("v"),
                                CallOptions.defaults().withPolicy(2, 3).withTimeout(millis(5))));
            }
            cluster.env.advance(SimulatedCluster.BOUND);
            assertThat(failed)
                    .hasSize(60)
                    .allSatisfy((timeout, at) -> assertThat(at).isEqualTo(millis(timeout)));
        }
    }

    @Test
    void completedCallerFutureDoesNotEndTheWrite() {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 3).options(b -> b.maxInFlight(1)).start()) {
            Key key = Key.of("k");
            cluster.await(cluster.node(0).put(key, bytes("before")));
            cluster.towardNode(1, Fault.delay(millis(20), millis(20)));
            CompletableFuture<Version> write =
                    cluster.node(0).put(key, bytes("v"), ALL).toCompletableFuture();
            write.cancel(false);
            assertThat(cluster.failureOf(cluster.node(0).get(key)).code()).isEqualTo(ErrorCode.OVERLOADED);
            cluster.env.advance(millis(100));
            assertThat(cluster.await(cluster.node(0).get(key, ALL)).map(Value::text))
                    .contains("v");
        }
    }
}
