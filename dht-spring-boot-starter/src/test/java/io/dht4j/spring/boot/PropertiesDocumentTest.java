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
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The reference names the properties that editors offer, and no others. */
@Tag("portable")
class PropertiesDocumentTest {

    private static final Path PAGE = Path.of("..", "docs", "reference", "spring-boot.md");
    /** Of this module; libraries on the class path have such a file too. */
    private static final Path METADATA = Path.of("target", "classes", "META-INF", "spring-configuration-metadata.json");

    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z0-9.-]+)` \\|");

    @Test
    void theReferenceNamesEachProperty() throws IOException {
        List<String> shown = ROW.matcher(Files.readString(PAGE))
                .results()
                .map(row -> row.group(1))
                .toList();
        assertThat(shown).containsExactlyInAnyOrderElementsOf(properties("name"));
    }

    @Test
    void eachPropertyIsDescribedForEditors() throws IOException {
        assertThat(properties("description"))
                .hasSameSizeAs(properties("name"))
                .allSatisfy(text -> assertThat(text).endsWith("."));
    }

    @Test
    void eachPropertyIsKnownToTheStart() throws IOException {
        List<String> ofMaps = List.of("null-values", "serializer", "time-to-live", "value-type");
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
