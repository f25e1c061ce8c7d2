package io.dht4j.simulator.cluster.repair;

import static io.dht4j.simulator.cluster.SimulatedCluster.bytes;
import static io.dht4j.simulator.cluster.SimulatedCluster.content;
import static io.dht4j.simulator.cluster.repair.RepairCalls.KEY;
import static io.dht4j.simulator.cluster.repair.RepairCalls.NOW;
import static io.dht4j.simulator.cluster.repair.RepairCalls.TWO;
import static io.dht4j.simulator.cluster.repair.RepairCalls.repair;
import static io.dht4j.simulator.cluster.repair.RepairCalls.setup;
import static io.dht4j.simulator.cluster.repair.RepairCalls.status;
import static io.dht4j.simulator.cluster.repair.RepairCalls.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.RepairStatus;
import io.dht4j.Version;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.core.options.Repair;
import io.dht4j.simulator.cluster.BlockingStore;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import io.dht4j.spi.StoreException;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.testkit.store.ModelStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Nobody reads and no hints are kept, so that replicas come together by repair or not at all. */
class RepairTest {

    @Test
    void replicasThatDifferInAnyWayEndWithTheNewestOfEachKey() {
        try (SimulatedCluster cluster = setup(3).start()) {
            SplittableRandom random = new SplittableRandom(1);
            ModelStore expected = new ModelStore();
            for (int i = 0; i < 3000; i++) {
                String key = "key" + random.nextInt(1000);
                long at = NOW - random.nextInt(100_000);
                Entry entry = switch (random.nextInt(4)) {
                    case 0 -> Entry.tombstone(Key.of(key), Version.of(at, 0));
                    case 1 -> value(key, at, "x".repeat(random.nextInt(10_000)));
                    case 2 -> Entry.value(Key.of(key), Version.of(at, 0), bytes("expiring"), NOW + 3_600_000);
                    default -> value(key, at, "");
                };
                expected.apply(List.of(entry));
                cluster.stores.get(random.nextInt(3)).apply(List.of(entry));
                if (random.nextBoolean()) {
                    cluster.stores.get(random.nextInt(3)).apply(List.of(entry));
                }
            }

            RepairStatus status = repair(cluster, 0);

            for (int node = 0; node < 3; node++) {
                assertThat(content(cluster.stores.get(node))).isEqualTo(content(expected));
            }
            assertThat(status.lastError()).isEmpty();
            assertThat(status.partitionsDone()).isEqualTo(16);
            assertThat(status.completed()).hasSize(16);
            assertThat(status.sent()).isPositive();
            assertThat(status.received()).isPositive();
            RepairStatus again = repair(cluster, 0);
            assertThat(again.sent()).isEqualTo(status.sent());
            assertThat(again.received()).isEqualTo(status.received());
        }
    }

    @Test
    void repairReportsItsProgress() {
        try (SimulatedCluster cluster = setup(3).start()) {
            cluster.stores.get(0).apply(List.of(value("key", NOW, "two have it")));
            cluster.stores.get(2).apply(List.of(value("key", NOW, "two have it")));
            cluster.stores.get(0).apply(List.of(value("key 2", NOW, "two have it")));
            cluster.stores.get(1).apply(List.of(value("key 2", NOW, "two have it")));
            List<RepairStatus> seen = new ArrayList<>();

            cluster.await(cluster.node(0).operations().repair(Set.of()));
            cluster.env.runUntil(
                    () -> {
                        RepairStatus status = status(cluster, 0);
                        if (seen.isEmpty()
                                || status.partitionsDone()
                                        != seen.get(seen.size() - 1).partitionsDone()) {
                            seen.add(status);
                        }
                        return status.rounds() > 0;
                    },
                    Duration.ofMinutes(10));

            assertThat(seen).extracting(RepairStatus::partitionsDone).containsExactly(0, 14, 15, 16);
            assertThat(seen).allSatisfy(status -> {
                assertThat(status.running()).isTrue();
                assertThat(status.completed()).hasSize(status.partitionsDone());
            });
        }
    }

    @Test
    void entriesOfOneReplicaReachTheNextInTheSameSession() {
        for (int holder = 1; holder < 3; holder++) {
            try (SimulatedCluster cluster = setup(3).start()) {
                cluster.stores.get(holder).apply(List.of(value("key", NOW, "one has it")));

                repair(cluster, 0);

                for (int node = 0; node < 3; node++) {
                    assertThat(content(cluster.stores.get(node)))
                            .as("node %d", node)
                            .hasSize(1);
                }
            }
        }
    }

    @Test
    void repairSettlesTwoValuesOfOneVersion() {
        try (SimulatedCluster cluster = setup(3).start()) {
            cluster.stores.get(0).apply(List.of(value("key", NOW, "a".repeat(5000))));
            cluster.stores.get(1).apply(List.of(value("key", NOW, "b".repeat(5000))));

            repair(cluster, 0);

            assertThat(List.of(0, 1, 2))
                    .allSatisfy(node -> assertThat(content(cluster.stores.get(node)))
                            .containsExactly(value("key", NOW, "b".repeat(5000))));
        }
    }

    @Test
    void repairRunsPeriodically() {
        SimulatedCluster.Setup setup = SimulatedCluster.of(1, 3)
                .options(builder -> builder.handoff(HintedHandoff.off()).repair(Repair.on()));
        try (SimulatedCluster cluster = setup.start()) {
            cluster.towardNode(2, Fault.refuse());
            cluster.await(cluster.node(0).put(KEY, bytes("v"), TWO));
            cluster.heal();
            assertThat(cluster.stores.get(2).get(KEY)).isEmpty();

            cluster.env.advance(Repair.on().interval().multipliedBy(2));

            assertThat(cluster.stores.get(2).get(KEY))
                    .isEqualTo(cluster.stores.get(0).get(KEY));
        }
    }

    @Test
    void absentNodeDoesNotKeepTheOthersFromRepair() {
        try (SimulatedCluster cluster = setup(3).start()) {
            cluster.stores.get(1).apply(List.of(value("key", NOW, "v")));
            cluster.stop(2);

            RepairStatus status = repair(cluster, 0);

            assertThat(cluster.stores.get(0).get(KEY)).isPresent();
            assertThat(status.lastError())
                    .hasValueSatisfying(error -> assertThat(error).contains("n2"));
            assertThat(status.partitionsDone()).isZero();
        }
    }

    @Test
    void othersRepairForANodeWithRepairOff() {
        assertOthersRepair(SimulatedCluster.of(1, 3)
                .options((i, builder) ->
                        builder.handoff(HintedHandoff.off()).repair(i == 0 ? Repair.off() : Repair.on())));
    }

    @Test
    void othersRepairForANodeWithAFullDisk() {
        assertOthersRepair(SimulatedCluster.of(1, 3)
                .options(builder -> builder.handoff(HintedHandoff.off()).repair(Repair.on()))
                .stores(i -> i > 0
                        ? new ModelStore()
                        : new ForwardingStore(new ModelStore()) {
                            @Override
                            public void settle() {
                                throw new StoreException("the disk is full");
                            }
                        }));
    }

    private static void assertOthersRepair(SimulatedCluster.Setup setup) {
        try (SimulatedCluster cluster = setup.start()) {
            cluster.env.advance(Repair.on().interval().multipliedBy(4));
            List<Entry> missed = IntStream.range(0, 100)
                    .mapToObj(i -> value("key" + i, cluster.env.currentTimeMillis(), "v"))
                    .toList();
            cluster.stores.get(1).apply(missed);

            cluster.env.advance(Repair.on().interval().multipliedBy(8));

            assertThat(content(cluster.stores.get(2))).containsExactlyInAnyOrderElementsOf(missed);
        }
    }

    @Test
    void onlyOneNodeRepairsEachPartition() {
        SimulatedCluster.Setup setup = SimulatedCluster.of(1, 3)
                .options(builder ->
                        builder.handoff(HintedHandoff.off()).repair(Repair.on()).partitions(16));
        try (SimulatedCluster cluster = setup.start()) {
            cluster.env.advance(Repair.on().interval().multipliedBy(50));

            int compared = 0;
            for (int node = 0; node < 3; node++) {
                compared += status(cluster, node).completed().size();
            }
            assertThat(compared)
                    .as("partitions with nodes that have compared them")
                    .isEqualTo(16);
        }
    }

    @Test
    void failedHashTreeBuildIsReportedAndRepeated() {
        BlockingStore failing = new BlockingStore();
        failing.apply(List.of(value("held", NOW, "v")));
        failing.followsThatFail = 4;
        try (SimulatedCluster cluster =
                setup(3).stores(i -> i == 0 ? failing : new ModelStore()).start()) {
            cluster.await(cluster.node(0).operations().repair(Set.of()));
            cluster.env.advance(Duration.ofSeconds(5));
            RepairStatus waiting = status(cluster, 0);
            assertThat(waiting.running()).isTrue();
            assertThat(waiting.blocked()).isTrue();
            assertThat(waiting.rounds()).isZero();
            assertThat(waiting.lastError())
                    .hasValueSatisfying(error -> assertThat(error)
                            .contains("cannot build its hash trees")
                            .contains("the file was opened again"));
            // What is written meanwhile counts too.
            cluster.await(
                    cluster.node(0).put(KEY, bytes("v"), CallOptions.defaults().withPolicy(1, 3)));
            failing.apply(List.of(value("held too", NOW, "v")));

            cluster.env.runUntil(() -> status(cluster, 0).rounds() > 0, Duration.ofMinutes(2));

            assertThat(status(cluster, 0).running()).isFalse();
            assertThat(status(cluster, 0).blocked()).isFalse();
            assertThat(status(cluster, 0).lastError()).isEmpty();
            for (int node = 0; node < 3; node++) {
                assertThat(content(cluster.stores.get(node)))
                        .extracting(Entry::key)
                        .containsExactly(Key.of("held"), Key.of("held too"), KEY);
            }
            assertThat(repair(cluster, 1).sent()).as("all sums are right").isZero();
            assertThat(status(cluster, 1).received()).isZero();
        }
    }

    @Test
    void partitionsThatAreNotThereAreNamed() {
        try (SimulatedCluster cluster = setup(3).start()) {
            assertThatThrownBy(() -> cluster.await(cluster.node(0).operations().repair(Set.of(16))))
                    .hasMessageContaining("0 to 15, not 16");
        }
        try (SimulatedCluster cluster = setup(5).start()) {
            int foreign = java.util.stream.IntStream.range(0, 16)
                    .filter(partition -> {
                        try {
                            cluster.await(cluster.node(0).operations().repair(Set.of(partition)));
                            return false;
                        } catch (DhtException e) {
                            assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST);
                            assertThat(e).hasMessageContaining("n0 is no replica of partition " + partition);
                            return true;
                        }
                    })
                    .findFirst()
                    .orElse(-1);
            assertThat(foreign).isNotNegative();
        }
    }
}
