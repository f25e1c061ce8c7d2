package io.dht4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ModelStore;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The figures of real nodes, whose network is in this process. */
class ClusterMetricsTest {

    private final SystemEnvironment environment = SystemEnvironment.create("metrics-test");
    private final LoopbackNetwork network = LoopbackNetwork.on(environment);
    private final Topology topology = Topology.of(Node.of("n1", "host1:1"), Node.of("n2", "host2:1"));
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final MicrometerObserver observer = new MicrometerObserver(registry);
    private final Cluster node = ClusterBuilder.of("n1", topology)
            .transport(network.transport("host1:1"))
            .store(new ModelStore())
            .observer(observer)
            .maxInFlight(77)
            .start();
    private final Cluster other = ClusterBuilder.of("n2", topology)
            .transport(network.transport("host2:1"))
            .store(new ModelStore())
            .start();
    private final ClusterMetrics metrics = new ClusterMetrics(node);

    @AfterEach
    void close() {
        metrics.close();
        node.close();
        other.close();
        environment.close();
    }

    private double gauge(String name) {
        return registry.get(name).gauge().value();
    }

    @Test
    void theFiguresAreThoseOfTheNode() throws Exception {
        metrics.bindTo(registry);
        node.put(Key.of("key"), new byte[1]).toCompletableFuture().get(10, TimeUnit.SECONDS);
        // The first status may be older than the write.
        Awaitility.await().atMost(10, TimeUnit.SECONDS).until(() -> gauge("dht.store.entries") == 1);
        assertThat(gauge("dht.nodes")).isEqualTo(2);
        assertThat(gauge("dht.nodes.suspected")).isZero();
        assertThat(gauge("dht.calls.active")).isZero();
        assertThat(gauge("dht.calls.limit")).isEqualTo(77);
        assertThat(gauge("dht.uptime")).isPositive();
        assertThat(gauge("dht.clock.problem")).isZero();
        assertThat(registry.get("dht.calls.refused").functionCounter().count()).isZero();
        assertThat(registry.get("dht.peer.requests.limit")
                        .tag("peer", "n2")
                        .gauge()
                        .value())
                .isPositive();
        assertThat(registry.get("dht.peer.clock.offset")
                        .tag("peer", "n2")
                        .gauge()
                        .value())
                .isBetween(-10.0, 10.0);
        assertThat(registry.find("dht.peer.requests.limit").gauges()).hasSize(1);
        assertThat(registry.get("dht.store.merges").functionTimer().count()).isZero();
        assertThat(gauge("dht.store.tables.used")).isNaN();
        assertThat(registry.find("dht.peer.connections.opened").functionCounters())
                .hasSize(1);
        assertThat(registry.get("dht.calls")
                        .tags("kind", "put", "outcome", "SUCCESS")
                        .timer()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void metricCountsPartitionsWithoutQuorum() {
        metrics.bindTo(registry);
        Awaitility.await().atMost(10, TimeUnit.SECONDS).until(() -> gauge("dht.partitions.without.quorum") == 0);
        other.close();
        Awaitility.await().atMost(10, TimeUnit.SECONDS).until(() -> {
            node.put(Key.of("key"), new byte[1]);
            return gauge("dht.partitions.without.quorum") > 0;
        });
    }

    @Test
    void everyFigureHasADescription() {
        metrics.bindTo(registry);
        assertThat(registry.getMeters())
                .hasSizeGreaterThan(40)
                .allSatisfy(meter -> assertThat(meter.getId().getDescription())
                        .as(meter.getId().getName())
                        .isNotBlank());
    }

    @Test
    void afterTheCloseNothingIsLeftAndNothingIsBound() {
        metrics.bindTo(registry);
        gauge("dht.nodes");
        metrics.close();
        observer.close();
        List<Meter> left = registry.getMeters();
        assertThat(left).isEmpty();
        assertThatIllegalStateException().isThrownBy(() -> metrics.bindTo(registry));
    }
}
