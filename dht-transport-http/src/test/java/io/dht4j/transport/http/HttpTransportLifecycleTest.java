package io.dht4j.transport.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.transport.common.calls.CallBudget;
import io.dht4j.transport.common.calls.PeerLane;
import io.dht4j.transport.http.internal.peer.PeerClients;
import io.dht4j.transport.http.internal.peer.PeerLoop;
import io.dht4j.transport.http.internal.peer.PeerOptions;
import io.dht4j.transport.http.internal.peer.PeerTls;
import io.dht4j.transport.http.internal.peer.VertxStart;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Starting and closing at the same time. */
@Timeout(120)
class HttpTransportLifecycleTest {

    private static final FrameHandler ECHO = (request, context) -> CompletableFuture.completedFuture(request);

    private final AtomicInteger open = new AtomicInteger();

    private static HttpTransport transport(PeerClients.Factory clients) {
        return HttpTransport.create(HttpTransportOptions.at("127.0.0.1", 0)
                .withEventLoops(1)
                .withClient(new VertxClientKind("counted", 1, clients))
                .withDrainTimeout(Duration.ofMillis(100)));
    }

    /** Clients that are counted until they are closed. */
    private PeerClients counted(List<PeerLoop> loops, PeerOptions options) {
        PeerClients clients =
                HttpTransportOptions.callingOnly().peerClientKind().clients().create(loops, options);
        open.incrementAndGet();
        return new PeerClients() {
            @Override
            public List<? extends PeerLane> lanes(Node peer, CallBudget budget, Optional<PeerTls> tls) {
                return clients.lanes(peer, budget, tls);
            }

            @Override
            public void close() {
                clients.close();
                open.decrementAndGet();
            }
        };
    }

    private static boolean isClosed(HttpTransport transport) {
        CallContext context = new CallContext(System::nanoTime, TimeUnit.HOURS.toNanos(1));
        return transport
                .call(Node.of("n2", "127.0.0.1:1"), Frame.of(new byte[0]), context)
                .handle((reply, error) -> String.valueOf(error).contains("the transport is closed"))
                .toCompletableFuture()
                .join();
    }

    @Test
    void aCloseThatComesWhileAStartMakesItsClientsClosesThem() throws Exception {
        CountDownLatch making = new CountDownLatch(1);
        CountDownLatch proceed = new CountDownLatch(1);
        HttpTransport transport = transport((loops, options) -> {
            making.countDown();
            try {
                proceed.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return counted(loops, options);
        });
        CompletableFuture<Void> start = transport.start(ECHO).toCompletableFuture();
        assertThat(making.await(60, TimeUnit.SECONDS)).isTrue();

        CompletableFuture<Void> close = CompletableFuture.runAsync(transport::close);
        await().atMost(Duration.ofSeconds(60)).until(() -> isClosed(transport));
        proceed.countDown();

        close.get(60, TimeUnit.SECONDS);
        assertThat(start).isDone();
        assertThat(open).hasValue(0);
    }

    @Test
    void aFailureOfVertxShowsTheCaller() {
        assertThatThrownBy(() -> VertxStart.run(() -> {
                    throw new UnsupportedOperationException("no loops");
                }))
                .hasMessageContaining("no loops")
                .satisfies(e -> assertThat(e.getStackTrace())
                        .extracting(StackTraceElement::getMethodName)
                        .contains("aFailureOfVertxShowsTheCaller"));
    }

    @Test
    void closingDuringAStartLeavesNothingOpen() throws Exception {
        for (int i = 0; i < 40; i++) {
            HttpTransport transport = transport(this::counted);
            CompletableFuture<CompletableFuture<Void>> starting =
                    CompletableFuture.supplyAsync(() -> transport.start(ECHO).toCompletableFuture());
            if (i % 2 == 0) {
                starting.join();
            }
            transport.close();
            CompletableFuture<Void> start = starting.get(60, TimeUnit.SECONDS);
            assertThat(start).isDone();
            assertThat(open).hasValue(0);
            assertThat(transport.start(ECHO).toCompletableFuture()).isCompletedExceptionally();
        }
    }
}
