package io.dht4j.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The layers and the configuration of the image; the base is empty here. */
@Tag("full")
class ImageTest {

    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    private Path directory;

    private JsonNode config;
    private final List<String> files = new ArrayList<>();

    @BeforeEach
    void unpack() throws Exception {
        run("tar", "-xf", System.getProperty("dht.package.image"), "-C", directory.toString());
        JsonNode index = json("index.json").path("manifests").path(0);
        JsonNode manifest = json(blob(index));
        config = json(blob(manifest.path("config"))).path("config");
        for (JsonNode layer : manifest.path("layers")) {
            files.addAll(run("tar", "-tvzf", directory.resolve(blob(layer)).toString())
                    .lines()
                    .toList());
        }
    }

    private static String blob(JsonNode descriptor) {
        return "blobs/" + descriptor.path("digest").asText().replace(':', '/');
    }

    private JsonNode json(String file) throws Exception {
        return JSON.readTree(Files.readString(directory.resolve(file)));
    }

    private String run(String... command) throws Exception {
        Installation.Run run = Installation.run(directory, Map.of(), List.of(command));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }

    @Test
    void itRunsTheServerAsAnOrdinaryUser() {
        assertThat(config.path("User").asText()).isEqualTo("10001:10001");
        assertThat(config.path("Entrypoint").toString()).isEqualTo("[\"/opt/dht4j/bin/dht\"]");
        assertThat(config.path("Cmd").toString()).isEqualTo("[\"server\"]");
        assertThat(config.path("Env").toString()).contains("DHT_LISTEN=0.0.0.0:8080", "DHT_DATA=/data/node");
        assertThat(config.path("Volumes").has("/data")).isTrue();
        assertThat(config.path("ExposedPorts").has("8080/tcp")).isTrue();
    }

    @Test
    void itHasTheInstallationOnce() {
        assertThat(files)
                .anyMatch(file -> file.startsWith("-rwxr-xr-x") && file.endsWith(" opt/dht4j/bin/dht"))
                .anyMatch(file -> file.startsWith("drwxrwxrwx") && file.endsWith(" data/"))
                .noneMatch(file -> file.contains(" app/"));
        assertThat(files.stream().filter(file -> file.contains("/dht-server-"))).hasSize(1);
        assertThat(files.stream().filter(file -> file.contains("/dht-package-")))
                .isEmpty();
    }
}
