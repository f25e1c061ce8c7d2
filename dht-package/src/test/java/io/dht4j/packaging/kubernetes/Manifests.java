package io.dht4j.packaging.kubernetes;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The manifests in {@code kubernetes}, as far as a kubelet reads them. */
final class Manifests {

    /** The namespace in which the pods run. */
    static final String NAMESPACE = "default";

    private static final Pattern REFERENCE = Pattern.compile("\\$\\(([A-Z_]+)\\)");

    private final List<Map<String, Object>> objects = new ArrayList<>();

    private Manifests() {}

    /** A probe over HTTP; times in seconds. */
    record Probe(String path, String port, int period, int timeout, int failureThreshold) {}

    static Manifests read() throws IOException {
        Manifests manifests = new Manifests();
        try (Reader reader = Files.newBufferedReader(Path.of("..", "kubernetes", "dht4j.yaml"))) {
            for (Object document : new Yaml(new SafeConstructor(new LoaderOptions())).loadAll(reader)) {
                manifests.objects.add(map(document));
            }
        }
        return manifests;
    }

    /** Returns the one object of a kind and a name. */
    Map<String, Object> object(String kind, String name) {
        return objects.stream()
                .filter(object -> object.get("kind").equals(kind)
                        && at(object, "metadata", "name").equals(name))
                .findFirst()
                .orElseThrow();
    }

    Map<String, Object> statefulSet() {
        return map(object("StatefulSet", "dht").get("spec"));
    }

    Map<String, Object> podSpec() {
        return map(at(statefulSet(), "template", "spec"));
    }

    Map<String, Object> container() {
        return map(((List<?>) podSpec().get("containers")).get(0));
    }

    /** Returns the secrets of the pods by the directories where the container has them. */
    Map<String, String> mountedSecrets() {
        Map<Object, String> secrets = new LinkedHashMap<>();
        for (Object entry : (List<?>) podSpec().get("volumes")) {
            Map<String, Object> volume = map(entry);
            if (volume.containsKey("secret")) {
                secrets.put(volume.get("name"), (String) at(volume, "secret", "secretName"));
            }
        }
        Map<String, String> mounted = new LinkedHashMap<>();
        for (Object entry : (List<?>) container().get("volumeMounts")) {
            Map<String, Object> mount = map(entry);
            if (secrets.containsKey(mount.get("name"))) {
                mounted.put((String) mount.get("mountPath"), secrets.get(mount.get("name")));
            }
        }
        return mounted;
    }

    int replicas() {
        return (Integer) statefulSet().get("replicas");
    }

    /** Returns the name of a pod, which is its host name too. */
    static String pod(int ordinal) {
        return "dht-" + ordinal;
    }

    /** Returns the name of a pod in the domain of the headless service. */
    String host(int ordinal) {
        return pod(ordinal) + "." + statefulSet().get("serviceName") + "." + NAMESPACE + ".svc.cluster.local";
    }

    /** Returns the environment of a pod's container, with what refers to the pod and to earlier variables. */
    Map<String, String> environment(int ordinal) {
        Map<String, String> environment = new LinkedHashMap<>();
        for (Object entry : (List<?>) container().get("env")) {
            Map<String, Object> variable = map(entry);
            Object value = variable.get("value");
            environment.put(
                    (String) variable.get("name"),
                    value == null ? field(variable, ordinal) : expanded((String) value, environment));
        }
        return environment;
    }

    private static String field(Map<String, Object> variable, int ordinal) {
        String path = (String) at(variable, "valueFrom", "fieldRef", "fieldPath");
        return switch (path) {
            case "metadata.name" -> pod(ordinal);
            case "metadata.namespace" -> NAMESPACE;
            default -> throw new IllegalArgumentException(path);
        };
    }

    private static String expanded(String value, Map<String, String> earlier) {
        return REFERENCE.matcher(value).replaceAll(reference -> {
            String name = reference.group(1);
            if (!earlier.containsKey(name)) {
                throw new IllegalArgumentException(value + " refers to " + name + ", which is not set before");
            }
            return Matcher.quoteReplacement(earlier.get(name));
        });
    }

    /** Returns a probe with Kubernetes's defaults for what is not set. */
    Probe probe(String name) {
        Map<String, Object> probe = map(container().get(name));
        return new Probe(
                (String) at(probe, "httpGet", "path"),
                (String) at(probe, "httpGet", "port"),
                (Integer) probe.getOrDefault("periodSeconds", 10),
                (Integer) probe.getOrDefault("timeoutSeconds", 1),
                (Integer) probe.getOrDefault("failureThreshold", 3));
    }

    /** Returns what stands at a path of names. */
    static Object at(Map<String, Object> object, String... names) {
        Object value = object;
        for (String name : names) {
            value = map(value).get(name);
        }
        return value;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }
}
