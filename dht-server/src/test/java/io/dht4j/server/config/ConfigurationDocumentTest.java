package io.dht4j.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The tables of docs/reference/configuration.md are the options that the server has. */
class ConfigurationDocumentTest {

    private static final Path DOCUMENT = Path.of("..", "docs", "reference", "configuration.md");
    private static final Pattern ROW = Pattern.compile("\\| `(--[a-z-]+)` \\| (.*?) \\| (.*?) \\| (.*) \\|");
    private static final Pattern VARIABLE = Pattern.compile("`(DHT_[A-Z_]+)`");
    private static final Pattern NUMBERS = Pattern.compile("([0-9]+) to ([0-9]+)");
    private static final Pattern CHOICES = Pattern.compile("`[a-z0-9-]+`(, `[a-z0-9-]+`)+");
    private static final Pattern REFUSED_NUMBER =
            Pattern.compile("must be a whole number(?: of [A-Za-z ]+)? from (\\d+) to (\\d+),");
    private static final Pattern REFUSED_CHOICE = Pattern.compile("must be (.*), not ");

    /** What stands in a row behind the option's name. */
    private record Row(String section, String fallback, String range) {}

    private final Map<String, Row> rows = new LinkedHashMap<>();

    @BeforeEach
    void read() throws IOException {
        String section = "";
        for (String line : Files.readAllLines(DOCUMENT)) {
            Matcher row = ROW.matcher(line);
            if (line.startsWith("## ")) {
                section = line.substring(3);
            } else if (row.matches()) {
                assertThat(rows.put(row.group(1), new Row(section, row.group(2), row.group(3))))
                        .as("another row of %s", row.group(1))
                        .isNull();
            }
        }
    }

    @Test
    void everyOptionHasARowAndEveryRowAnOption() {
        List<String> options = new ArrayList<>();
        for (Setting setting : Setting.values()) {
            options.add(setting.option());
        }
        assertThat(rows.keySet()).containsExactlyInAnyOrderElementsOf(options);
    }

    @Test
    void variablesThatThePageNamesAreThoseOfOptions() throws IOException {
        List<String> variables = new ArrayList<>(List.of("DHT_CONFIG", "DHT_VERBOSE", "DHT_REBUILD"));
        for (Setting setting : Setting.values()) {
            variables.add(setting.variable());
        }
        Matcher named = VARIABLE.matcher(Files.readString(DOCUMENT));
        List<String> names = new ArrayList<>();
        while (named.find()) {
            names.add(named.group(1));
        }
        assertThat(variables).containsAll(names);
        assertThat(names).contains("DHT_CONFIG", "DHT_VERBOSE", "DHT_REBUILD", "DHT_HASH_KEY");
    }

    @Test
    void sectionsAndDefaultsAreThoseOfTheHelp() {
        for (Setting setting : Setting.values()) {
            Row row = rows.get(setting.option());
            assertThat(row.section())
                    .as(setting.option())
                    .isEqualTo(setting.section().heading());
            assertThat(row.fallback()).as(setting.option()).isEqualTo(setting.fallback());
        }
    }

    @Test
    void rangesOfNumbersAreThoseThatTheServerChecks() {
        for (Setting setting : Setting.values()) {
            Matcher range = NUMBERS.matcher(rows.get(setting.option()).range());
            if (range.matches()) {
                Matcher refused = refusal(setting, REFUSED_NUMBER);
                assertThat(List.of(refused.group(1), refused.group(2)))
                        .as(setting.option())
                        .containsExactly(range.group(1), range.group(2));
            }
        }
    }

    @Test
    void choicesAreThoseThatTheServerHas() {
        for (Setting setting : Setting.values()) {
            String range = rows.get(setting.option()).range();
            if (CHOICES.matcher(range).matches()) {
                Matcher refused = refusal(setting, REFUSED_CHOICE);
                assertThat(range.replace("`", "").split(", "))
                        .as(setting.option())
                        .containsExactlyInAnyOrder(refused.group(1).split(" or "));
            }
        }
    }

    /** What the server says of a value that no option takes. */
    private static Matcher refusal(Setting setting, Pattern form) {
        Map<Setting, String> given = new EnumMap<>(Setting.class);
        given.put(setting, "-1");
        if (setting == Setting.GRPC_MODE) {
            given.put(Setting.TRANSPORT, "grpc");
        }
        if (setting == Setting.WEIGHT) {
            given.put(Setting.BOOTSTRAP, "n1=127.0.0.1:8080");
        }
        List<String> messages = new ArrayList<>();
        assertThatThrownBy(() -> ServerConfig.of(given))
                .isInstanceOf(ConfigException.class)
                .satisfies(e -> messages.add(e.getMessage()));
        assertThat(messages.get(0)).startsWith(setting.option() + " ");
        Matcher refused = form.matcher(messages.get(0));
        assertThat(refused.find()).as(messages.get(0)).isTrue();
        return refused;
    }
}
