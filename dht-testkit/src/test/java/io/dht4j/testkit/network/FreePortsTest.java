package io.dht4j.testkit.network;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FreePortsTest {

    @Test
    void portsAreGivenOutOnce() {
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            ports.addAll(FreePorts.find(100));
        }

        assertThat(ports).doesNotHaveDuplicates().allMatch(port -> port >= 12_000 && port < 32_000);
    }

    /** Were it left to chance, 50 would be the same. */
    @Test
    void anotherProcessFindsOtherPorts() throws Exception {
        List<Integer> ports = new ArrayList<>(FreePorts.find(1_000));
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Finder.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out = new BufferedReader(new InputStreamReader(other.getInputStream(), UTF_8))) {
            String line = out.readLine();
            assertThat(line).as("the ports that the other process prints").isNotNull();
            ports.addAll(Stream.of(line.split(" ")).map(Integer::valueOf).toList());
        } finally {
            other.destroyForcibly().onExit().join();
        }

        assertThat(ports).hasSize(2_000).doesNotHaveDuplicates();
    }

    @Test
    void givenPortsAreFree() throws IOException {
        for (int port : FreePorts.find(100)) {
            try (ServerSocket listener = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                assertThat(listener.getLocalPort()).isEqualTo(port);
            }
        }
    }

    @Test
    void moreThanAreHeldAreRefused() {
        assertThat(FreePorts.find(0)).isEmpty();
        assertThatThrownBy(() -> FreePorts.find(1_001))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("count must be 0 to 1000, not 1001");
    }

    /** Finds ports in a process of its own, and prints them. */
    public static final class Finder {

        private Finder() {}

        /** Ends when it has printed them. */
        @SuppressWarnings("SystemOut")
        public static void main(String[] none) {
            System.out.println(String.join(
                    " ", FreePorts.find(1_000).stream().map(String::valueOf).toList()));
        }
    }
}
