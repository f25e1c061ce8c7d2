package io.dht4j.benchmarks.process.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.benchmarks.load.client.ClientSpec;
import io.dht4j.benchmarks.load.closed.Preload;
import io.dht4j.benchmarks.process.ChildException;
import io.dht4j.benchmarks.process.node.Nodes;
import io.dht4j.benchmarks.process.node.NodesSpec;
import io.dht4j.benchmarks.process.node.Profiling;
import io.dht4j.benchmarks.profile.ProfileEvent;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.server.config.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
@Tag("full")
class LoadProcessTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    @Test
    void loadProcessReachesNodeProcessesWhileTheyAreProfiled() throws Exception {
        NodesSpec spec = NodesSpec.of(2, directory, Map.of(Setting.TIMEOUT, "20000"))
                .withJvm(160, List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        try (Nodes nodes = Nodes.start(spec);
                LoadProcess load = LoadProcess.start(
                        "load",
                        ClientSpec.http(nodes.httpAddresses()),
                        96,
                        List.of(),
                        Optional.of(directory.resolve("load.log")))) {
            assertThat(load.fill(0, 100, 4, PATIENCE).keys()).isEqualTo(100);
            LoadSpec gets = new LoadSpec(Operation.GET, 100, 0, 1, 100, 64, 1, 1);
            LoadResult[] results = new LoadResult[1];
            Profiling.Taken taken =
                    Profiling.take(nodes, ProfileEvent.WALL, directory, "get-wall", () -> results[0] = load.run(gets));
            assertThat(results[0].spec()).isEqualTo(gets);
            assertThat(results[0].errors()).isEmpty();
            assertThat(results[0].served() + results[0].notSent()).isEqualTo(results[0].offered());
            assertThat(results[0].latency().decode().getTotalCount()).isEqualTo(results[0].served());
            assertThat(taken.seen().orElseThrow().profile().layers()).isNotEmpty();
            Counters ofNodes = nodes.counters();
            Counters ofLoad = load.counters().orElseThrow();
            assertThat(cpuMicros(ofLoad)).isPositive();
            assertThat(cpuMicros(nodes.counters(Optional.of(ofLoad))))
                    .isGreaterThanOrEqualTo(cpuMicros(ofNodes) + cpuMicros(ofLoad));
            assertThat(directory.resolve(taken.seen().orElseThrow().profile().flameGraph()))
                    .isNotEmptyFile();
            assertThat(directory.resolve(taken.seen().orElseThrow().profile().collapsed()))
                    .isNotEmptyFile();
        }
    }

    private static long cpuMicros(Counters counters) {
        return counters.values().getOrDefault(Cost.CPU_MICROS, 0L);
    }

    @Test
    void aTargetThatIsNotThereIsTold() throws Exception {
        try (LoadProcess load = LoadProcess.start(
                "load",
                ClientSpec.http(List.of("127.0.0.1:1")).withTimeoutMillis(1000),
                64,
                List.of(),
                Optional.empty())) {
            assertThatThrownBy(() -> {
                        Preload.Filled filled = load.fill(0, 1, 1, PATIENCE);
                        throw new AssertionError(filled);
                    })
                    .isInstanceOf(ChildException.class)
                    .hasMessageStartingWith("load: fill: filling stopped");
        }
    }
}
