package io.dht4j.testkit.transport;

import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.contentOf;

import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.reflect.Constructor;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract of transports that lack memory: the peer is a process with a heap that is smaller than the frame of a
 * call. The call fails with that reason, and the peer continues with the others.
 */
@Tag("full")
public abstract class SmallHeapContract {

    /** The largest frame that the transports take: more than the peer's heap. */
    protected static final int MAX_FRAME_BYTES = 96 << 20;

    private static final byte[] SMALL = bytes("small");
    private static final byte[] LARGE = bytes("large");

    @TempDir
    private Path directory;

    private Transport own;
    private Process process;
    private Node peer;

    /** Constructor for subclasses, which have one without parameters. */
    @SuppressWarnings("NullAway.Init") // JUnit calls start before each test
    protected SmallHeapContract() {}

    /**
     * Creates a transport that listens at any port of this machine and takes frames of {@link #MAX_FRAME_BYTES}, as
     * many at a time as come.
     *
     * @return a new transport, which the contract closes
     */
    protected abstract Transport newTransport();

    /**
     * Returns the port of a transport that was started.
     *
     * @param transport a transport of {@link #newTransport}
     * @return 1 to 65535
     */
    protected abstract int port(Transport transport);

    @BeforeEach
    void start() throws IOException {
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:MaxDirectMemorySize=512m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SmallHeapContract.class.getName(),
                        getClass().getName())
                .redirectError(directory.resolve("err").toFile())
                .start();
        BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        String port = out.readLine();
        assertThat(port)
                .as(() -> contentOf(directory.resolve("err").toFile(), UTF_8))
                .isNotNull();
        peer = Node.of("peer", "127.0.0.1:" + port);
        own = newTransport();
        own.start((request, context) -> CompletableFuture.completedFuture(new byte[MAX_FRAME_BYTES]))
                .toCompletableFuture()
                .join();
    }

    @AfterEach
    void close() {
        process.destroyForcibly();
        own.close();
    }

    @Test
    void peerRefusesAFrameItHasNoMemoryFor() {
        assertThat(reply(call(SMALL))).isEqualTo(SMALL);
        CompletableFuture<byte[]> large = call(new byte[MAX_FRAME_BYTES]);
        assertThat(failure(large))
                .hasMessageContaining("no memory for the frame")
                .extracting("outcome", "reason")
                .containsExactly(Outcome.NOT_SENT, Reason.NO_ROOM);
        assertThat(reply(call(SMALL))).isEqualTo(SMALL);
        assertThat(process.isAlive()).isTrue();
    }

    @Test
    void replyWithoutMemoryFailsItsCallOnly() {
        String[] answer = new String(reply(call(bytes("call " + port(own)))), UTF_8).split(" ", 2);
        assertThat(answer[0]).isEqualTo(Outcome.UNKNOWN.name());
        assertThat(answer[1]).doesNotContain("deadline");
        assertThat(reply(call(SMALL))).isEqualTo(SMALL);
        assertThat(process.isAlive()).isTrue();
    }

    private CompletableFuture<byte[]> call(byte[] frame) {
        return own.call(peer, Frame.of(frame), within(PATIENCE)).toCompletableFuture();
    }

    /**
     * Runs the peer, which answers small frames, and calls back where it is asked to. It ends with its standard input.
     *
     * @param args the name of the contract's subclass
     * @throws Exception if the peer cannot start
     */
    public static void main(String[] args) throws Exception {
        Constructor<?> constructor = Class.forName(args[0]).getDeclaredConstructor();
        constructor.setAccessible(true);
        SmallHeapContract contract = (SmallHeapContract) constructor.newInstance();
        try (Transport transport = contract.newTransport()) {
            transport
                    .start((request, context) -> answer(transport, request, context))
                    .toCompletableFuture()
                    .join();
            System.out.println(contract.port(transport));
            System.out.flush();
            // The end of its input is the end of the test.
            System.in.transferTo(OutputStream.nullOutputStream());
        }
    }

    private static CompletionStage<byte[]> answer(Transport transport, byte[] request, CallContext context) {
        String text = new String(request, UTF_8);
        if (!text.startsWith("call ")) {
            return CompletableFuture.completedFuture(request);
        }
        Node caller = Node.of("caller", "127.0.0.1:" + text.substring("call ".length()));
        return transport.call(caller, Frame.of(LARGE), context).handle((reply, error) -> bytes(outcome(error)));
    }

    private static String outcome(Throwable error) {
        Throwable cause = error instanceof CompletionException ? error.getCause() : error;
        return cause instanceof TransportException failure
                ? failure.outcome().name() + " " + failure.getMessage()
                : "NONE " + cause;
    }
}
