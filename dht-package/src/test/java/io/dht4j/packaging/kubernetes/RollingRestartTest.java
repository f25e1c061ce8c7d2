package io.dht4j.packaging.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.packaging.Installation;
import io.dht4j.packaging.load.ClientLoad;
import io.dht4j.testkit.network.FreePorts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * A rolling restart of the stateful set with processes in place of pods: environment, probes and times are those of the
 * manifests. A client's call goes to a node that is ready, as through the service, and has no retry.
 */
@Tag("full")
@EnabledOnOs({OS.LINUX, OS.MAC})
class RollingRestartTest {

    private static final Duration PATIENCE = Duration.ofSeconds(120);

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
        try {
            for (int i = 0; i < nodes; i++) {
                Path data = Files.createDirectory(directory.resolve("volume" + i));
                pods.add(SimulatedPod.start(
                        manifests, i, installation, httpPorts, ports.subList(nodes, 2 * nodes), data, kubelet));
            }
            await().atMost(PATIENCE).until(() -> pods.stream().allMatch(SimulatedPod::isEndpoint));
            try (ClientLoad load = ClientLoad.start(
                    ClientLoad.Access.plaintext(httpPorts), n -> pods.get(n).isEndpoint())) {
                restartEach(manifests, pods, load);
                load.endAndReadAgain();
            }
        } finally {
            pods.forEach(SimulatedPod::close);
            kubelet.shutdown();
        }
    }

    private static void restartEach(Manifests manifests, List<SimulatedPod> pods, ClientLoad load) throws Exception {
        for (int ordinal = pods.size() - 1; ordinal >= 0; ordinal--) {
            SimulatedPod pod = pods.get(ordinal);
            int before = load.calls();
            assertThat(pod.restart(grace(manifests))).as(pod.err()).isZero();
            await().atMost(PATIENCE).until(pod::isEndpoint);
            assertThat(load.calls()).isGreaterThan(before);
            // As minReadySeconds: calls go on with all nodes before the next one ends.
            load.awaitCalls();
        }
    }

    private static int grace(Manifests manifests) {
        return (Integer) manifests.podSpec().get("terminationGracePeriodSeconds");
    }
}
