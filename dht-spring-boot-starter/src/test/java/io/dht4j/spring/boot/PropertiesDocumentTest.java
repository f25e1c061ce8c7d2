package io.dht4j.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.convert.DurationStyle;

/** The reference names the properties that editors offer, and no others. */
class PropertiesDocumentTest {

    private static final Path PAGE = Path.of("..", "docs", "reference", "spring-boot.md");
    /** Of this module; libraries on the class path have such a file too. */
    private static final Path METADATA = Path.of("target", "classes", "META-INF", "spring-configuration-metadata.json");

    private static final Path SERVER = Path.of("..", "docs", "reference", "configuration.md");

    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z0-9.-]+)` \\| (.*?) \\|");

    private static final Map<String, String> OPTIONS_OF_SERVER = Map.of(
            "dht4j.replication-factor", "--replication-factor",
            "dht4j.membership.bootstrap", "--bootstrap",
            "dht4j.membership.join", "--join",
            "dht4j.membership.join-token", "--join-token",
            "dht4j.membership.zone", "--zone",
            "dht4j.store.durability", "--durability",
            "dht4j.tls.certificate", "--tls-cert",
            "dht4j.tls.key", "--tls-key",
            "dht4j.tls.authorities", "--tls-ca");

    @Test
    void theReferenceNamesEachProperty() throws IOException {
        assertThat(defaults(PAGE).keySet()).containsExactlyInAnyOrderElementsOf(properties("name"));
    }

    @Test
    void defaultsOfTheReferenceAreThoseOfTheCode() throws IOException {
        Map<String, String> shown = defaults(PAGE);
        try (InputStream in = Files.newInputStream(METADATA)) {
            for (JsonNode property : new ObjectMapper().readTree(in).get("properties")) {
                String name = property.get("name").asText();
                if (property.has("defaultValue")) {
                    assertThat(shown.get(name))
                            .as(name)
                            .isEqualTo(property.get("defaultValue").asText());
                }
            }
        }
    }

    @Test
    void defaultsAreThoseOfTheServer() throws IOException {
        Map<String, String> shown = defaults(PAGE);
        Map<String, String> ofServer = defaults(SERVER);
        OPTIONS_OF_SERVER.forEach((property, option) ->
                assertThat(shown.get(property)).as(property).isEqualTo(ofServer.get(option)));
        assertThat(DurationStyle.detectAndParse(shown.get("dht4j.calls.timeout"))
                        .toMillis())
                .isEqualTo(Long.parseLong(ofServer.get("--timeout")));
    }

    /** Returns the column of the defaults. Later tables explain some names again. */
    private static Map<String, String> defaults(Path page) throws IOException {
        return ROW.matcher(Files.readString(page))
                .results()
                .collect(Collectors.toMap(
                        row -> row.group(1), row -> row.group(2).replace("`", ""), (first, later) -> first));
    }

    @Test
    void eachPropertyIsDescribedForEditors() throws IOException {
        assertThat(properties("description"))
                .hasSameSizeAs(properties("name"))
                .allSatisfy(text -> assertThat(text).endsWith("."));
    }

    @Test
    void eachPropertyIsKnownToTheStart() throws IOException {
        List<String> ofMaps = List.of("atomic", "null-values", "serializer", "time-to-live", "value-type");
        List<String> names = new ArrayList<>(properties("name"));
        names.removeAll(List.of("dht4j.cache.caches", "management.health.dht4j.enabled"));
        ofMaps.forEach(name -> names.add("dht4j.cache.caches.*." + name));
        assertThat(UnknownProperties.names()).containsExactlyInAnyOrderElementsOf(names);
    }

    private static List<String> properties(String field) throws IOException {
        List<String> values = new ArrayList<>();
        try (InputStream in = Files.newInputStream(METADATA)) {
            for (JsonNode property : new ObjectMapper().readTree(in).get("properties")) {
                values.add(property.path(field).asText());
            }
        }
        return values;
    }
}
