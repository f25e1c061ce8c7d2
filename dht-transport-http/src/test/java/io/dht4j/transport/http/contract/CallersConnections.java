package io.dht4j.transport.http.contract;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.TcpTable;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What a calling transport knows of the connections that it has to a peer. */
public final class CallersConnections {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /**
     * So many calls, each over one of two event loops by chance, that either has one but for once in a billion times.
     */
    private static final int CALLS = 30;

    private CallersConnections() {}

    /**
     * Waits until a transport with one of the clients of Vert.x has closed its connections to a peer that has closed
     * them, and knows. It learns of that a moment after the system does: when its event loops have done what they had
     * still to do, as they have when they come to later calls, to another address.
     *
     * <p>Skips the test on a system that does not show what it knows.
     *
     * @param caller the transport, with no more event loops than by default
     * @param address where the peer listens, or has listened
     */
    public static void awaitClosed(Transport caller, String address) {
        assumeTrue(TcpTable.isShown(), "the system does not show its connections");
        int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
        await().atMost(PATIENCE).until(() -> TcpTable.openByCallersOf(port) == 0);
        Node nobody = Node.of("nobody", "127.0.0.1:1");
        for (int i = 0; i < CALLS; i++) {
            try {
                caller.call(nobody, Frame.of(new byte[0]), new CallContext(System::nanoTime, PATIENCE.toNanos()))
                        .handle((reply, error) -> error)
                        .toCompletableFuture()
                        .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted", e);
            } catch (ExecutionException | TimeoutException e) {
                throw new AssertionError("expected a call to nobody to end", e);
            }
        }
    }
}
