package io.dht4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The tables of docs/reference/errors.md have every error, under the exception by which it comes. */
class ErrorsDocumentTest {

    private static final Pattern HEADING = Pattern.compile("## `([A-Za-z]+)`.*");
    private static final Pattern ROW = Pattern.compile("\\| ([0-9]+) \\| `([A-Z_]+)` \\| .+ \\| .+ \\|");

    @Test
    void everyErrorHasARowAndEveryRowAnError() throws IOException {
        List<String> documented = new ArrayList<>();
        String exception = "";
        for (String line : Files.readAllLines(Path.of("..", "docs", "reference", "errors.md"))) {
            Matcher heading = HEADING.matcher(line);
            Matcher row = ROW.matcher(line);
            if (heading.matches()) {
                exception = heading.group(1);
            } else if (row.matches()) {
                documented.add(row.group(1) + " " + row.group(2) + " " + exception);
            }
        }

        List<String> expected = new ArrayList<>();
        for (ErrorCode code : ErrorCode.values()) {
            expected.add(code.number() + " " + code.name() + " "
                    + DhtException.of(code, "").getClass().getSimpleName());
        }
        assertThat(documented).containsExactlyElementsOf(expected);
    }
}
