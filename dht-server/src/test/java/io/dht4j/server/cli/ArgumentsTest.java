package io.dht4j.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.server.ServerProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the platform makes of the arguments of the process. */
class ArgumentsTest {

    @Test
    void wholeArgumentsPass() {
        assertThat(Arguments.undecodable("put", "ключ", "grüße", "🐀")).isEmpty();
        assertThat(Arguments.undecodable()).isEmpty();
    }

    @Test
    void argumentOutsideTheLocalesCharsetIsRefused() throws Exception {
        List<String> command = new ArrayList<>(
                List.of("sh", "-c", "exec \"$@\" \"$(printf '\\321\\201\\320\\273\\320\\276\\320\\275')\" v", "sh"));
        command.addAll(ServerProcess.commandLine("put", "--node", "http://127.0.0.1:1"));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C");

        Process process = builder.start();
        try {
            String said = new String(process.getInputStream().readAllBytes());
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();

            assertThat(said)
                    .startsWith("dht: argument 4, ")
                    .contains("LC_ALL", "--key-base64")
                    .hasLineCount(1);
            assertThat(process.exitValue()).isEqualTo(2);
        } finally {
            process.destroyForcibly().onExit().join();
        }
    }
}
