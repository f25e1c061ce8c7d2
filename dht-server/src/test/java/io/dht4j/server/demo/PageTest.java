package io.dht4j.server.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PageTest {

    @ParameterizedTest
    @CsvSource({"50, 20", "100, 40", "117, 40", "-1, 0"})
    void aBarIsNeverShorterThanEmptyAndNeverLongerThanFull(long value, int length) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();

        new Page(new PrintStream(out, true, UTF_8), false).bar("n1", value, 100, "text");

        assertThat(out.toString(UTF_8).strip())
                .isEqualTo("n1 " + "█".repeat(length) + " ".repeat(40 - length) + " text");
    }
}
