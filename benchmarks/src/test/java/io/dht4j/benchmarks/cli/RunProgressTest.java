package io.dht4j.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.StandardOutput;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RunProgressTest {

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private long seconds;

    @Test
    void stepsWithoutATerminalShowTheTimeLeft() {
        try (RunProgress progress = open(false)) {
            progress.plan(4);
            progress.step("one");
            seconds += 100;
            progress.step("two");
            assertThat(lines()).containsExactly("[1/4] one", "[2/4] two, about 5 min left");
        }
    }

    @Test
    void aLongStepSaysNowAndThenHowMuchOfItIsDone() {
        try (RunProgress progress = open(false)) {
            progress.plan(2);
            progress.step("filling");
            for (int done = 0; done < 100; done++) {
                progress.within(done, 100);
                seconds++;
            }
            assertThat(lines())
                    .containsExactly(
                            "[1/2] filling",
                            "[1/2] filling: 30 %, about 70 s of it left",
                            "[1/2] filling: 60 %, about 40 s of it left",
                            "[1/2] filling: 90 %, about 10 s of it left");
        }
    }

    @Test
    void aTerminalHasABar() {
        try (RunProgress progress = open(true)) {
            progress.plan(2);
            progress.step("filling");
            seconds += 10;
            progress.within(1, 2);
        }
        assertThat(written.toString(StandardCharsets.UTF_8))
                .contains("the task", "0/2", "filling: 50 %, about 10 s of it left");
    }

    private List<String> lines() {
        return written.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private RunProgress open(boolean onTerminal) {
        PrintStream err = new PrintStream(written, true, StandardCharsets.UTF_8);
        Console console = new Console(
                InputStream.nullInputStream(), new StandardOutput(written), err, onTerminal, onTerminal, Map.of());
        return new RunProgress(console, "the task", () -> TimeUnit.SECONDS.toNanos(seconds));
    }
}
