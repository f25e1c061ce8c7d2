package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ObjectReference;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import io.dht4j.testkit.network.FreePorts;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server of which a thread has died that it cannot do without: its process ends, and never is a port open and dead.
 */
@Tag("full")
class DeadServerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final int ABORTED = 134;

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

    /** A server with a port of each kind, and a debugger of it. */
    private final class Victim implements AutoCloseable {

        private final List<Integer> ports = FreePorts.find(4);
        private final ServerProcess server;
        private final VirtualMachine vm;

        Victim() throws Exception {
            String debugger =
                    "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:" + ports.get(2);
            server = ServerProcess.startWith(
                    Map.of("JAVA_TOOL_OPTIONS", debugger),
                    directory,
                    "--listen",
                    "127.0.0.1:" + ports.get(0),
                    "--grpc-listen",
                    "127.0.0.1:" + ports.get(1),
                    "--transport",
                    "grpc",
                    "--peers",
                    "n1=127.0.0.1:" + ports.get(3),
                    "--data",
                    directory.resolve("data").toString());
            server.awaitReady();
            vm = attach(ports.get(2));
        }

        /** Makes threads fail once the server is resumed, so that it does not end while the debugger speaks to it. */
        void fail(String threads) throws Exception {
            vm.suspend();
            List<ThreadReference> found = vm.allThreads().stream()
                    .filter(thread -> thread.name().matches(threads))
                    .toList();
            assertThat(found).as(threads).isNotEmpty();
            for (ThreadReference thread : found) {
                failForLackOfMemory(vm, thread.name());
            }
        }

        /** Makes all watches end as if they had died, once resumed: an error alone does not do that. */
        void endWatches() throws Exception {
            vm.suspend();
            ReferenceType type =
                    vm.classesByName("io.dht4j.transport.common.ThreadWatch").get(0);
            for (ObjectReference watch : type.instances(0)) {
                watch.setValue(type.fieldByName("closed"), vm.mirrorOf(true));
            }
        }

        /** Resumes all threads, and expects an end that says why. */
        void awaitEnd(String why) throws Exception {
            vm.dispose();
            awaitFailure();
            assertThat(server.err())
                    .containsOnlyOnce("dht server: this node can no longer serve and ends: ")
                    .contains(why);
        }

        void awaitEnd() throws Exception {
            await("the process ends")
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> {
                        knock(ports.get(0));
                        knock(ports.get(1));
                        knock(ports.get(3));
                        return !server.isAlive();
                    });
        }

        void awaitFailure() throws Exception {
            awaitEnd();
            assertThat(server.exitCode()).isEqualTo(1);
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "vert.x-eventloop-thread-.*",
                "vert.x-acceptor-thread-.*",
                "dht4j-grpc-api-[0-9].*",
                "dht4j-grpc-api-acceptor-.*",
                "dht4j-grpc-loop-[0-9].*",
            })
    void serverWithADeadEventLoopExitsWithAnError(String threads) throws Exception {
        try (Victim victim = new Victim()) {
            victim.fail(threads);
            victim.awaitEnd("has ended");
        }
    }

    @Test
    void errorsInTheWatchesThemselvesHideNoDeath() throws Exception {
        try (Victim victim = new Victim()) {
            victim.fail("dht4j-http-watch");
            victim.fail("dht4j-grpc-api-watch");
            victim.fail("dht4j-lifetime");
            victim.fail("vert.x-acceptor-thread-.*");
            victim.awaitEnd("an event loop of 127.0.0.1");
        }
    }

    @Test
    void serverWhoseWatchesHaveDiedEnds() throws Exception {
        try (Victim victim = new Victim()) {
            victim.endWatches();
            victim.awaitEnd("a thread that watches it has ended");
        }
    }

    @Test
    void serverThatHasNotEvenMemoryToCloseEnds() throws Exception {
        try (Victim victim = new Victim()) {
            victim.fail("main");
            victim.vm.dispose();
            victim.awaitEnd();
            // The server ends at once. If the debugger's agent is still detaching, it aborts the JVM.
            assertThat(victim.server.exitCode()).isIn(1, ABORTED);
            assertThat(victim.server.err()).contains("could not end in order, most likely for lack of memory");
        }
    }

    @Test
    void serverThatCannotCloseStillEnds() throws Exception {
        try (Victim victim = new Victim()) {
            victim.vm.allThreads().stream()
                    .filter(thread -> thread.name().equals("main"))
                    .forEach(ThreadReference::suspend);
            victim.fail("vert.x-acceptor-thread-.*");
            victim.vm.resume();
            victim.awaitFailure();
        }
    }
}
