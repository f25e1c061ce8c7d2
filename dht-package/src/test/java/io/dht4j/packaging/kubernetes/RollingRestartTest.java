package io.dht4j.packaging.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.packaging.Installation;
import io.dht4j.testkit.network.FreePorts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * A rolling restart of the stateful set with processes in place of pods: environment, probes, {@code preStop} and times
 * are those of the manifests. A client's call goes to a node that is ready, as through the service, and has no retry.
 */
@Tag("full")
@EnabledOnOs({OS.LINUX, OS.MAC})
class RollingRestartTest {

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int CLIENTS = 4;
    private static final int PAUSE_MILLIS = 20;

    @TempDir
    private Path directory;

    @Test
    void noCallIsLost() throws Exception {
        Manifests manifests = Manifests.read();
        Installation installation = Installation.unpack(directory);
        int nodes = manifests.replicas();
        List<Integer> ports = FreePorts.find(2 * nodes);
        List<Integer> httpPorts = ports.subList(0, nodes);
        List<SimulatedPod> pods = new ArrayList<>();
        ScheduledExecutorService kubelet = Executors.newScheduledThreadPool(nodes);
        ScheduledExecutorService load = Executors.newScheduledThreadPool(CLIENTS);
        try {
            for (int i = 0; i < nodes; i++) {
                Path data = Files.createDirectory(directory.resolve("volume" + i));
                pods.add(SimulatedPod.start(
                        manifests, i, installation, httpPorts, ports.subList(nodes, 2 * nodes), data, kubelet));
            }
            await().atMost(PATIENCE).until(() -> pods.stream().allMatch(SimulatedPod::isEndpoint));
            Queue<String> lost = new ConcurrentLinkedQueue<>();
            List<SimulatedClient> clients = IntStream.range(0, CLIENTS)
                    .mapToObj(i -> new SimulatedClient(
                            "key" + i, httpPorts, n -> pods.get(n).isEndpoint(), lost))
                    .toList();
            List<ScheduledFuture<?>> running = new ArrayList<>();
            for (SimulatedClient client : clients) {
                running.add(load.scheduleWithFixedDelay(client::run, 0, PAUSE_MILLIS, TimeUnit.MILLISECONDS));
            }

            for (int ordinal = nodes - 1; ordinal >= 0; ordinal--) {
                SimulatedPod pod = pods.get(ordinal);
                int before = calls(clients);
                assertThat(pod.restart(preStop(manifests), grace(manifests)))
                        .as(pod.err())
                        .isZero();
                await().atMost(PATIENCE).until(pod::isEndpoint);
                // As minReadySeconds: calls go on with all nodes before the next one ends.
                int now = calls(clients);
                await().atMost(PATIENCE).until(() -> calls(clients) > now + 10 * CLIENTS || !lost.isEmpty());
                assertThat(lost).as("restart of " + Manifests.pod(ordinal)).isEmpty();
                assertThat(now).isGreaterThan(before);
            }

            assertThat(running).noneMatch(ScheduledFuture::isDone);
        } finally {
            load.shutdown();
            assertThat(load.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            pods.forEach(SimulatedPod::close);
            kubelet.shutdown();
        }
    }

    private static int calls(List<SimulatedClient> clients) {
        return clients.stream().mapToInt(SimulatedClient::calls).sum();
    }

    private static int preStop(Manifests manifests) {
        return (Integer) Manifests.at(manifests.container(), "lifecycle", "preStop", "sleep", "seconds");
    }

    private static int grace(Manifests manifests) {
        return (Integer) manifests.podSpec().get("terminationGracePeriodSeconds");
    }
}
