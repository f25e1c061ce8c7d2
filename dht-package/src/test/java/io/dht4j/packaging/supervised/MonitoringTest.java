package io.dht4j.packaging.supervised;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** The rules of {@code monitoring/alerts.yml} are those of the guide. */
class MonitoringTest {

    private static final Pattern ROW = Pattern.compile("\\| (.+?) \\| `(.+)` \\| (\\d+) ([mh]) \\| .+ \\|");

    @Test
    void eachAlertOfTheGuideIsARule() throws IOException {
        List<String> guide = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("..", "docs", "guide", "alerts.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                guide.add(camelCase(row.group(1)) + " " + row.group(2).replace("\\|", "|") + " " + row.group(3)
                        + row.group(4));
            }
        }
        List<String> rules = new ArrayList<>();
        for (Map<?, ?> group : maps(yaml("alerts.yml").get("groups"))) {
            for (Map<?, ?> rule : maps(group.get("rules"))) {
                rules.add(rule.get("alert") + " " + rule.get("expr") + " " + rule.get("for"));
            }
        }
        assertThat(guide).hasSizeGreaterThan(15);
        assertThat(rules).containsExactlyElementsOf(guide);
    }

    private static String camelCase(String words) {
        StringBuilder name = new StringBuilder();
        for (String word : words.split(" ")) {
            name.append(word.substring(0, 1).toUpperCase(Locale.ROOT)).append(word.substring(1));
        }
        return name.toString();
    }

    private static Map<?, ?> yaml(String file) throws IOException {
        return new Yaml().load(Files.readString(Path.of("..", "monitoring", file)));
    }

    private static List<Map<?, ?>> maps(Object list) {
        List<Map<?, ?>> maps = new ArrayList<>();
        ((List<?>) list).forEach(each -> maps.add((Map<?, ?>) each));
        return maps;
    }
}
