package io.dht4j.simulator.cluster.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.ReadFanOut;
import io.dht4j.Version;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.SearchEffort;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Values that do not come with every reply: the newest has to be fetched when replicas differ. */
class LargeValuesTest {

    private static final CallOptions ALL_OF_THREE = CallOptions.defaults().withPolicy(3, 3);
    private static final CallOptions TWO_OF_THREE = CallOptions.defaults().withPolicy(2, 3);

    private static Version old(int counter) {
        return Version.of(VirtualEnvironment.START_MILLIS - 2, counter);
    }

    private static Version recent(int counter) {
        return Version.of(VirtualEnvironment.START_MILLIS - 1, counter);
    }

    private static SimulatedCluster cluster(ReadFanOut fanOut) {
        return SimulatedCluster.of(1, 3)
                .options(b -> b.readFanOut(fanOut).inlineValueBytes(10))
                .start();
    }

    private static byte[] large(int fill) {
        byte[] value = new byte[100];
        Arrays.fill(value, (byte) fill);
        return value;
    }

    @ParameterizedTest
    @EnumSource
    void readReturnsTheNewestOfAnyMixOfReplicas(ReadFanOut fanOut) {
        Key key = Key.of("k");
        // Every write has a version of its own.
        List<Entry> candidates = List.of(
                Entry.tombstone(key, old(0)),
                Entry.value(key, old(1), large(1), Entry.NEVER),
                Entry.value(key, old(2), new byte[] {9}, Entry.NEVER),
                Entry.tombstone(key, recent(0)),
                Entry.value(key, recent(1), large(3), Entry.NEVER),
                Entry.value(key, recent(2), large(2), Entry.NEVER),
                Entry.value(key, recent(3), new byte[] {1}, Entry.NEVER));
        int kinds = candidates.size() + 1;
        int step = SearchEffort.isWhole() ? 1 : 7;
        for (int mix = 0; mix < kinds * kinds * kinds; mix += step) {
            try (SimulatedCluster cluster = cluster(fanOut)) {
                Entry newest = null;
                int rest = mix;
                for (int node = 0; node < 3; node++, rest /= kinds) {
                    if (rest % kinds > 0) {
                        Entry entry = candidates.get(rest % kinds - 1);
                        cluster.stores.get(node).apply(List.of(entry));
                        newest = newest == null ? entry : Entry.newest(newest, entry);
                    }
                }
                byte[] expected = newest == null || newest.isTombstone() ? null : newest.value();
                for (int node = 0; node < 3; node++) {
                    byte[] read = cluster.await(cluster.node(node).get(key, ALL_OF_THREE))
                            .map(value -> value.bytes())
                            .orElse(null);
                    assertThat(read).as("mix %d read from n%d", mix, node).isEqualTo(expected);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aLargeValueIsReadFromAnotherReplicaWhenTheFirstFails(ReadFanOut fanOut) {
        for (Fault fault : List.of(Fault.refuse(), Fault.failAfterDelivery())) {
            try (SimulatedCluster cluster = cluster(fanOut)) {
                Key key = cluster.keyOf(1, 0);
                cluster.await(cluster.node(1).put(key, large(7), ALL_OF_THREE));
                cluster.towardNode(1, fault);
                for (int reader : new int[] {0, 2}) {
                    assertThat(cluster.await(cluster.node(reader).get(key, TWO_OF_THREE)))
                            .hasValueSatisfying(v -> assertThat(v.bytes()).isEqualTo(large(7)));
                }
            }
        }
    }

    @Test
    void largeValueIsFetchedWhenItsReplicaIsLate() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 5)
                .options(b -> b.readFanOut(ReadFanOut.ALL).inlineValueBytes(10))
                .start()) {
            Key key = Key.of("k");
            int reader = cluster.replica(key, 4);
            cluster.await(cluster.node(reader).put(key, large(7), ALL_OF_THREE));
            cluster.towardNode(cluster.replica(key, 0), Fault.loseRequest());
            assertThat(cluster.await(cluster.node(reader).get(key, TWO_OF_THREE)))
                    .hasValueSatisfying(v -> assertThat(v.bytes()).isEqualTo(large(7)));
        }
    }

    @Test
    void aValueOfTheLargestSizeGoesThrough() {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 3).options(b -> b.maxValueBytes(1 << 20)).start()) {
            Key key = Key.of(new byte[Key.MAX_LENGTH]);
            byte[] value = new byte[1 << 20];
            Arrays.fill(value, (byte) 3);
            cluster.await(cluster.node(0).put(key, value, ALL_OF_THREE));
            for (int reader = 0; reader < 3; reader++) {
                assertThat(cluster.await(cluster.node(reader).get(key, ALL_OF_THREE)))
                        .hasValueSatisfying(v -> assertThat(v.bytes()).isEqualTo(value));
            }
        }
    }
}
