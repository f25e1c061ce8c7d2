package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ends programs by SIGTERM, in processes of their own. */
@Tag("jdk")
class LifetimeTest {

    /** Closes in order, never, or fails and never closes. */
    static final class Program {

        private Program() {}

        public static void main(String[] arguments) throws InterruptedException {
            boolean closes = arguments[0].equals("in-order");
            boolean fails = arguments[0].equals("fails");
            Duration notice = fails ? Duration.ofMinutes(10) : Duration.ZERO;
            Lifetime lifetime = Lifetime.begin(notice, closes ? Duration.ofMinutes(1) : Duration.ofMillis(100));
            if (fails) {
                lifetime.fail();
            }
            System.out.println("ready");
            lifetime.awaitStop();
            if (!closes) {
                new CountDownLatch(1).await();
            }
            lifetime.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"in-order, 0", "never, 1"})
    void exitStatusAfterASignalShowsAnOrderlyEnd(String ending, int status) throws Exception {
        Process program = start(ending);
        try (BufferedReader out = program.inputReader()) {
            assertThat(out.readLine()).isEqualTo("ready");
            program.destroy(); // SIGTERM
            assertEnds(program, status);
        } finally {
            program.destroyForcibly().waitFor();
        }
    }

    @Test
    void aProgramThatFailsGivesNoNotice() throws Exception {
        Process program = start("fails");
        try {
            assertEnds(program, 1);
        } finally {
            program.destroyForcibly().waitFor();
        }
    }

    private static void assertEnds(Process program, int status) throws InterruptedException {
        assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(program.exitValue()).isEqualTo(status);
    }

    private static Process start(String ending) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName(),
                        ending)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
