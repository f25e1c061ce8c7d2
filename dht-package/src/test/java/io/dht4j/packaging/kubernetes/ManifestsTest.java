package io.dht4j.packaging.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.server.config.ServerConfig;
import io.dht4j.server.config.Setting;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The manifests fit the server and one another. */
class ManifestsTest {

    private static final Set<String> OTHER_VARIABLES = Set.of("NAMESPACE", "DOMAIN", "DHT_JAVA_OPTS");

    private final Manifests manifests;

    ManifestsTest() throws Exception {
        manifests = Manifests.read();
    }

    @Test
    void theEnvironmentIsAValidConfigurationOfEveryPod() throws Exception {
        Map<String, Setting> variables = new HashMap<>();
        Stream.of(Setting.values()).forEach(setting -> variables.put(setting.variable(), setting));
        for (int pod = 0; pod < manifests.replicas(); pod++) {
            Map<Setting, String> settings = new EnumMap<>(Setting.class);
            manifests.environment(pod).forEach((name, value) -> {
                if (!OTHER_VARIABLES.contains(name)) {
                    assertThat(variables).containsKey(name);
                    settings.put(variables.get(name), value);
                }
            });

            ServerConfig config = ServerConfig.of(settings);

            assertThat(config.id().value()).isEqualTo(Manifests.pod(pod));
            assertThat(config.topology().nodes()).hasSize(manifests.replicas());
            assertThat(config.topology().node(config.id()).orElseThrow().address())
                    .isEqualTo(manifests.host(pod) + ":7000");
        }
    }

    @Test
    void portsAndLabelsOfTheServicesAreThoseOfThePods() {
        List<?> ports = (List<?>) manifests.container().get("ports");
        Object labels = Manifests.at(manifests.statefulSet(), "template", "metadata", "labels");

        assertThat(ports)
                .isEqualTo(List.of(
                        Map.of("name", "http", "containerPort", 8080), Map.of("name", "peer", "containerPort", 7000)));
        for (String service : List.of("dht", "dht-peers")) {
            assertThat(Manifests.at(manifests.object("Service", service), "spec", "selector"))
                    .isEqualTo(labels);
        }
        for (String kind : List.of("PodDisruptionBudget", "NetworkPolicy")) {
            String selector = kind.equals("NetworkPolicy") ? "podSelector" : "selector";
            assertThat(Manifests.at(manifests.object(kind, "dht"), "spec", selector, "matchLabels"))
                    .isEqualTo(labels);
        }
        assertThat(Manifests.at(manifests.object("Service", "dht-peers"), "spec", "clusterIP"))
                .isEqualTo("None");
    }

    @Test
    void aMajorityStaysAndThereIsTimeForAnOrderlyEnd() throws Exception {
        int grace = (Integer) manifests.podSpec().get("terminationGracePeriodSeconds");
        Map<Setting, String> settings = new EnumMap<>(Setting.class);
        settings.put(
                Setting.SHUTDOWN_DELAY,
                manifests
                        .environment(0)
                        .getOrDefault(Setting.SHUTDOWN_DELAY.variable(), Setting.SHUTDOWN_DELAY.fallback()));
        int delay = (int) ServerConfig.of(settings).clients().shutdownDelay().toSeconds();
        Manifests.Probe readiness = manifests.probe("readinessProbe");

        assertThat(Manifests.at(manifests.object("PodDisruptionBudget", "dht"), "spec", "maxUnavailable"))
                .isEqualTo(1);
        assertThat(grace).isGreaterThan(delay + 10);
        assertThat(delay).isGreaterThan(readiness.period() * readiness.failureThreshold());
    }

    @Test
    void podsHaveMinimalRights() {
        Map<String, Object> pod = manifests.podSpec();
        assertThat(pod).containsEntry("automountServiceAccountToken", false);
        assertThat(Manifests.at(pod, "securityContext", "runAsNonRoot")).isEqualTo(true);
        assertThat(Manifests.at(pod, "securityContext", "seccompProfile", "type"))
                .isEqualTo("RuntimeDefault");
        assertThat(Manifests.at(manifests.container(), "securityContext"))
                .isEqualTo(Map.of(
                        "allowPrivilegeEscalation",
                        false,
                        "readOnlyRootFilesystem",
                        true,
                        "capabilities",
                        Map.of("drop", List.of("ALL"))));
    }

    @Test
    void imageIsThatOfThisBuild() {
        assertThat(manifests.container()).containsEntry("image", "dht4j:" + System.getProperty("dht.package.version"));
    }

    @Test
    void nodesUseTlsAndTokensFromSecrets() {
        Map<String, String> environment = manifests.environment(0);
        assertThat(environment).doesNotContainKey(Setting.ALLOW_PLAINTEXT.variable());
        Map<String, String> mounted = manifests.mountedSecrets();
        assertThat(mounted).containsOnlyKeys("/etc/dht4j/tls", "/etc/dht4j/tokens");
        for (Setting file : List.of(Setting.TLS_CERT, Setting.TLS_KEY, Setting.TLS_CA)) {
            assertThat(environment.get(file.variable())).startsWith("/etc/dht4j/tls/");
        }
        assertThat(environment.get(Setting.TOKENS.variable())).startsWith("/etc/dht4j/tokens/");
        for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
            assertThat(Manifests.at(manifests.container(), probe, "httpGet", "scheme"))
                    .isEqualTo("HTTPS");
        }
    }

    @Test
    void guideCertificateNamesNodesAndPublicAddresses() throws Exception {
        String guide = Files.readString(Path.of("..", "docs", "guide", "run-in-kubernetes.md"));
        Set<String> names = Pattern.compile("DNS:([^,\"\\s]+)")
                .matcher(guide)
                .results()
                .map(name -> name.group(1))
                .collect(Collectors.toSet());
        for (int pod = 0; pod < manifests.replicas(); pod++) {
            String host = URI.create(manifests.environment(pod).get(Setting.PUBLIC_ADDRESS.variable()))
                    .getHost();
            assertThat(names).contains(Manifests.pod(pod), "*" + host.substring(host.indexOf('.')));
        }
    }

    @Test
    void networkPolicyRestrictsPeerTrafficToNodes() {
        Map<String, Object> policy = manifests.object("NetworkPolicy", "dht");
        Object nodes = List.of(Map.of("podSelector", Map.of("matchLabels", Map.of("app", "dht4j"))));

        assertThat(Manifests.at(policy, "spec", "policyTypes")).isEqualTo(List.of("Ingress", "Egress"));
        assertThat(rules(policy, "ingress", "from", 7000)).isEqualTo(List.of(nodes));
        assertThat(rules(policy, "egress", "to", 7000)).isEqualTo(List.of(nodes));
        assertThat((List<?>) Manifests.at(policy, "spec", "egress")).hasSize(2);
        assertThat(rules(policy, "egress", "to", 53)).hasSize(1);
    }

    /** Returns whom the rules for a port let in or out. */
    private static List<Object> rules(Map<String, Object> policy, String direction, String whom, int port) {
        return ((List<?>) Manifests.at(policy, "spec", direction))
                .stream()
                        .map(rule -> (Map<?, ?>) rule)
                        .filter(rule -> ((List<?>) rule.get("ports"))
                                .stream().anyMatch(each -> Objects.equals(((Map<?, ?>) each).get("port"), port)))
                        .<Object>map(rule -> rule.get(whom))
                        .toList();
    }
}
