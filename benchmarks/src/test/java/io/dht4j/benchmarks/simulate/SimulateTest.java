package io.dht4j.benchmarks.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.StandardOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SimulateTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int execute(String... args) {
        Console console = new Console(
                InputStream.nullInputStream(), new StandardOutput(out), new PrintStream(err), false, false, Map.of());
        return Simulate.execute(console, args);
    }

    private static String text(ByteArrayOutputStream stream) {
        return stream.toString(StandardCharsets.UTF_8);
    }

    @Test
    void severalSeedsAreTriedAndCounted() {
        assertThat(execute("--seeds", "5", "--from", "100")).isZero();

        assertThat(text(out))
                .startsWith("5 seeds, ")
                .contains("simulated minutes")
                .endsWith("no promise was broken\n");
    }

    @Test
    void outputThatCannotBeWrittenIsOneLineAndAFailure() {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int octet) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        Console console = new Console(
                InputStream.nullInputStream(),
                new StandardOutput(full),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                false,
                false,
                Map.of());

        assertThat(Simulate.execute(console, "--seeds", "1")).isEqualTo(1);

        assertThat(text(err).lines().filter(line -> !line.endsWith(" simulated minutes")))
                .containsExactly("dht simulate: standard output cannot be written: No space left on device");
    }

    @Test
    void oneSeedIsTried() {
        assertThat(execute("--seed", "7", "--seconds", "10", "--operations", "20"))
                .isZero();

        assertThat(text(out)).isEqualTo("no promise was broken\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "6"})
    void agreedClustersFormOverMicroRaftAndOverAPerfectLog(String seed) {
        assertThat(execute("--seed", seed, "--seconds", "10", "--operations", "20", "--membership", "agreed"))
                .isZero();

        assertThat(text(out)).isEqualTo("no promise was broken\n");
    }

    @ParameterizedTest
    @CsvSource({"--seeds,0", "--seconds,0", "--operations,-1", "--keys,0"})
    void numbersHaveBounds(String option, String value) {
        assertThat(execute(option, value)).isEqualTo(2);

        assertThat(text(err))
                .contains(option + " must be 1 or more, not " + value)
                .contains("./dht simulate --help");
        assertThat(text(out)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--frob", "--seeds,many", "--membership,other", "extra"})
    void wrongUsageIsOneMessage(String args) {
        assertThat(execute(args.split(","))).isEqualTo(2);

        assertThat(text(err)).startsWith("dht simulate: ").doesNotContain("Exception");
    }

    @Test
    void whatIsNoNumberIsToldWithoutNamesOfTypes() {
        assertThat(execute("--seeds", "many")).isEqualTo(2);

        assertThat(text(err)).startsWith("dht simulate: --seeds must be a whole number, not \"many\"\n");
    }

    @Test
    void helpNamesTheOptions() {
        assertThat(execute("--help")).isZero();

        assertThat(text(out)).contains("--seeds", "--from", "--seed", "Exit codes:");
    }
}
