package io.dht4j.transport.http.contract;

import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.testkit.transport.SocketTransportContract;
import io.dht4j.transport.http.HttpClientKind;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the HTTP transport must do whichever client calls the peers. */
public abstract class HttpClientContract extends SocketTransportContract {

    /** The options of the next transport. */
    protected HttpTransportOptions options;

    protected HttpClientContract(HttpClientKind kind) {
        options = HttpTransportOptions.at("127.0.0.1", 0)
                .withClient(kind)
                .withDrainTimeout(Duration.ofMillis(100))
                .withConnectTimeout(PATIENCE);
    }

    @Override
    public Transport newTransport() {
        return HttpTransport.create(options);
    }

    @Override
    public Transport newTransport(String address) {
        int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
        return HttpTransport.create(HttpTransportOptions.at("127.0.0.1", port)
                .withClient(options.client())
                .withDrainTimeout(Duration.ofMillis(100))
                .withConnectTimeout(PATIENCE));
    }

    @Override
    public String address(Transport transport) {
        return "127.0.0.1:" + ((HttpTransport) transport).port();
    }

    @Override
    public void awaitHungUp(Started caller, Started closed) {
        if (options.client().label().startsWith("vertx")) {
            CallersConnections.awaitClosed(caller.transport(), closed.address());
        }
    }

    @Override
    public int maxFrameBytes() {
        return options.limits().maxFrameBytes();
    }

    @Override
    public Predicate<Thread> ownThreads() {
        return thread -> thread.getName().startsWith("vert") || thread.getName().startsWith("dht4j-");
    }

    @Override
    public Transport newNarrowTransport() {
        return HttpTransport.create(
                options.withConnectionsPerPeer(2).withMaxQueuedPerPeer(20).withMaxInFlight(10));
    }

    @Override
    public int requestsAtNarrowTransport() {
        return 10;
    }

    /** Of connections that carry one call each, either event loop may have half. */
    @Override
    public int requestsAtAHandler() {
        return 16;
    }

    @Override
    public byte[] beginningOfReply() {
        return bytes("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nthe first few");
    }

    @Test
    @Tag("core")
    void callsOverTheBoundOfTheQueueFailAtOnceAsNotSent() {
        // Two connections carry at most 512 calls, with HTTP/2; one of java.net.http's 256.
        options = options.withConnectionsPerPeer(2).withMaxQueuedPerPeer(10);
        CompletableFuture<byte[]> held = new CompletableFuture<>();
        Started server = start((request, context) -> held);
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            calls.add(client.call(server, bytes("a"), within(PATIENCE)));
        }
        assertThat(calls).anySatisfy(call -> assertThat(call).isCompletedExceptionally());
        calls.stream()
                .filter(CompletableFuture::isCompletedExceptionally)
                .forEach(call -> assertThat(failure(call).outcome()).isEqualTo(Outcome.NOT_SENT));
        held.complete(bytes("b"));
        assertThat(calls.stream().filter(call -> !call.isCompletedExceptionally()))
                .isNotEmpty()
                .allSatisfy(call -> assertThat(reply(call)).isEqualTo(bytes("b")));
    }

    @Test
    @Tag("core")
    void frameOverThePeersLimitGets413AsNotSent() {
        Started client = start(echo());
        options = options.withMaxFrameBytes(100_000);
        Recorder recorder = new Recorder(echo());
        Started server = start(recorder);
        assertThat(reply(client.call(server, new byte[100_000], within(PATIENCE))))
                .hasSize(100_000);
        assertThat(failure(client.call(server, new byte[100_001], within(PATIENCE))))
                .hasMessageContaining("413")
                .extracting("outcome")
                .isEqualTo(Outcome.NOT_SENT);
        assertThat(recorder.count()).isEqualTo(1);
        assertThat(reply(client.call(server, bytes("next"), within(PATIENCE)))).isEqualTo(bytes("next"));
    }

    @Test
    @Tag("core")
    void aFailedHandlerIsNamedToTheCaller() {
        Started server = start((request, context) -> {
            throw new IllegalStateException("the reason\nof it");
        });
        Started client = start(echo());
        assertThat(failure(client.call(server, bytes("a"), within(PATIENCE))))
                .hasMessageContaining("500")
                .hasMessageContaining("the reason\\nof it");
    }

    @Test
    @Tag("core")
    void theClientShowsInTheNameUnlessItIsTheDefault() {
        HttpClientKind client = options.client();
        assertThat(start(echo()).transport().name())
                .isEqualTo(client.equals(HttpClientKind.VERTX) ? "http" : "http/" + client.label());
    }
}
