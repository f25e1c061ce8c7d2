package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ObjectReference;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import io.dht4j.testkit.FreePorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server of which a thread has died that it cannot do without: its process ends, and never is a port open and dead.
 */
@Tag("full")
class DeadServerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private static VirtualMachine attach(int port) throws Exception {
        AttachingConnector sockets = Bootstrap.virtualMachineManager().attachingConnectors().stream()
                .filter(connector -> connector.name().equals("com.sun.jdi.SocketAttach"))
                .findFirst()
                .orElseThrow();
        Map<String, Connector.Argument> arguments = sockets.defaultArguments();
        arguments.get("hostname").setValue("127.0.0.1");
        arguments.get("port").setValue(Integer.toString(port));
        return sockets.attach(arguments);
    }

    /** Throws an OutOfMemoryError, one of those that each JVM has made beforehand, at whatever the thread does next. */
    private static void failForLackOfMemory(VirtualMachine vm, String threadName) throws Exception {
        ObjectReference error = vm.classesByName("java.lang.OutOfMemoryError")
                .get(0)
                .instances(1)
                .get(0);
        ThreadReference thread = vm.allThreads().stream()
                .filter(each -> each.name().equals(threadName))
                .findFirst()
                .orElseThrow();
        thread.stop(error);
    }

    /** What a thread does next may be to wait for a request. */
    private static void knock(int port) {
        try {
            HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v0/status"))
                                    .timeout(Duration.ofSeconds(1))
                                    .build(),
                            BodyHandlers.discarding());
        } catch (IOException e) {
            // As it should be, once the loop is dead.
            return;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void serverWhoseEventLoopHasDiedSaysSoAndEndsWithANonZeroStatus() throws Exception {
        List<Integer> ports = FreePorts.find(2);
        int port = ports.get(0);
        String debugger =
                "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:" + ports.get(1);
        try (ServerProcess server = ServerProcess.startWith(
                Map.of("JAVA_TOOL_OPTIONS", debugger),
                directory,
                "--listen",
                "127.0.0.1:" + port,
                "--data",
                directory.resolve("data").toString())) {
            server.awaitReady();
            VirtualMachine vm = attach(ports.get(1));
            for (ThreadReference thread : vm.allThreads()) {
                if (thread.name().startsWith("vert.x-eventloop-thread")) {
                    failForLackOfMemory(vm, thread.name());
                }
            }
            vm.dispose();
            await("the process ends")
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> {
                        knock(port);
                        return !server.isAlive();
                    });
            assertThat(server.exitCode()).isEqualTo(1);
            assertThat(server.err())
                    .containsOnlyOnce("dht server: this node can no longer serve and ends: ")
                    .contains("event loop", "has ended");
        }
    }
}
