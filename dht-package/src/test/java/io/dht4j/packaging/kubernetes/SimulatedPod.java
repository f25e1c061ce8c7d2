package io.dht4j.packaging.kubernetes;

import io.dht4j.packaging.Installation;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * A pod of the stateful set as a process, with the part of a kubelet that probes it. Addresses of the manifests are
 * replaced by ports of this machine.
 */
final class SimulatedPod implements AutoCloseable {

    private final Installation installation;
    private final Map<String, String> environment;
    private final Manifests.Probe readiness;
    private final URI probed;
    private final HttpClient http;
    private final ScheduledExecutorService kubelet;

    private final ScheduledFuture<?> probing;
    private Installation.Started process;
    private int failures;
    private volatile boolean isReady;
    private volatile boolean isTerminating;

    private SimulatedPod(
            Installation installation,
            Map<String, String> environment,
            Manifests.Probe readiness,
            int port,
            HttpClient http,
            ScheduledExecutorService kubelet)
            throws IOException {
        this.installation = installation;
        this.environment = environment;
        this.readiness = readiness;
        this.probed = URI.create("https://127.0.0.1:" + port + readiness.path());
        this.http = http;
        this.kubelet = kubelet;
        process = installation.server(environment);
        probing = kubelet.scheduleWithFixedDelay(this::probe, 0, readiness.period(), TimeUnit.SECONDS);
    }

    /**
     * Starts a pod.
     *
     * @param secrets the directory that has those of the manifests
     * @param http trusts the certificates of the nodes
     */
    static SimulatedPod start(
            Manifests manifests,
            int ordinal,
            Installation installation,
            List<Integer> httpPorts,
            List<Integer> peerPorts,
            Path data,
            Path secrets,
            HttpClient http,
            ScheduledExecutorService kubelet)
            throws IOException {
        Map<String, String> environment = manifests.environment(ordinal);
        environment.replaceAll((name, value) -> {
            String local = value.replace("0.0.0.0:8080", "127.0.0.1:" + httpPorts.get(ordinal))
                    .replace("/data/", data + "/")
                    .replace("/etc/dht4j/", secrets + "/");
            for (int pod = 0; pod < httpPorts.size(); pod++) {
                local = local.replace(manifests.host(pod) + ":7000", "127.0.0.1:" + peerPorts.get(pod))
                        .replace(manifests.host(pod) + ":8080", "127.0.0.1:" + httpPorts.get(pod));
            }
            return local;
        });
        environment.put("DHT_JAVA_OPTS", "-Xmx256m");
        return new SimulatedPod(
                installation, environment, manifests.probe("readinessProbe"), httpPorts.get(ordinal), http, kubelet);
    }

    private void probe() {
        boolean answers = false;
        try {
            HttpRequest request = HttpRequest.newBuilder(probed)
                    .timeout(Duration.ofSeconds(readiness.timeout()))
                    .build();
            answers = http.send(request, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            // Counted as a failure below.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        failures = answers ? 0 : failures + 1;
        if (answers) {
            isReady = true;
        } else if (failures >= readiness.failureThreshold()) {
            isReady = false;
        }
    }

    /** Whether the service sends clients to it. */
    boolean isEndpoint() {
        return isReady && !isTerminating;
    }

    /** Ends the process as a kubelet ends a pod, and starts it again. Returns the exit code. */
    int restart(int graceSeconds) throws Exception {
        isTerminating = true;
        process.process().destroy();
        if (!process.process().waitFor(graceSeconds, TimeUnit.SECONDS)) {
            throw new AssertionError("a kubelet would kill the process: " + process.err());
        }
        int exitCode = process.process().exitValue();
        // The new pod is not ready before it has answered.
        kubelet.submit(() -> {
                    failures = 0;
                    isReady = false;
                })
                .get();
        process = installation.server(environment);
        isTerminating = false;
        return exitCode;
    }

    String err() throws IOException {
        return process.err();
    }

    @Override
    public void close() {
        probing.cancel(false);
        process.close();
    }
}
