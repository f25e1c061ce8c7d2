package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ends programs by SIGTERM, in processes of their own. */
class LifetimeTest {

    /** Closes in order, or never. */
    static final class Program {

        private Program() {}

        public static void main(String[] arguments) throws InterruptedException {
            Lifetime lifetime = Lifetime.begin(Duration.ofMillis(arguments[0].equals("never") ? 100 : 60_000));
            System.out.println("ready");
            lifetime.awaitStop();
            if (arguments[0].equals("never")) {
                new CountDownLatch(1).await();
            }
            lifetime.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"in-order, 0", "never, 1"})
    void theStatusAfterASignalSaysWhetherTheProgramEndedInOrder(String ending, int status) throws Exception {
        Process program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName(),
                        ending)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out = program.inputReader()) {
            assertThat(out.readLine()).isEqualTo("ready");
            program.destroy(); // SIGTERM
            assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(program.exitValue()).isEqualTo(status);
        } finally {
            program.destroyForcibly().waitFor();
        }
    }
}
