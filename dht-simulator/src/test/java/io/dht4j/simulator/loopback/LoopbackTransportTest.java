package io.dht4j.simulator.loopback;

import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Frame;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.time.VirtualEnvironment;
import io.dht4j.testkit.transport.TransportContract;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopbackTransportTest extends TransportContract {

    private final Environment environment = SystemEnvironment.create("loopback-test");
    private final LoopbackNetwork network = LoopbackNetwork.on(environment);
    private final Map<Transport, String> addresses = new ConcurrentHashMap<>();

    @AfterEach
    void closeEnvironment() {
        environment.close();
    }

    @Override
    public Transport newTransport() {
        return newTransport("loopback-" + addresses.size() + ":1");
    }

    @Override
    public Transport newTransport(String address) {
        Transport transport = network.transport(address);
        addresses.put(transport, address);
        return transport;
    }

    @Override
    public String address(Transport transport) {
        return addresses.get(transport);
    }

    @Override
    public int maxFrameBytes() {
        return LoopbackNetwork.DEFAULT_MAX_FRAME_BYTES;
    }

    @Override
    public Predicate<Thread> ownThreads() {
        return thread -> false;
    }

    @Test
    void callsOverTheInFlightLimitAreNotSent() {
        LoopbackNetwork narrow = LoopbackNetwork.on(environment).withMaxInFlight(10);
        CompletableFuture<byte[]> held = new CompletableFuture<>();
        Transport server = narrow.transport("server:1");
        Transport client = narrow.transport("client");
        server.start((request, context) -> held);
        client.start(echo());
        Node node = Node.of("server", "server:1");
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            calls.add(client.call(node, Frame.of(bytes("a")), within(PATIENCE)).toCompletableFuture());
        }
        assertThat(failure(client.call(node, Frame.of(bytes("a")), within(PATIENCE))
                        .toCompletableFuture()))
                .extracting("outcome", "reason")
                .containsExactly(Outcome.NOT_SENT, Reason.NO_ROOM);
        held.complete(bytes("b"));
        calls.forEach(call -> assertThat(reply(call)).isEqualTo(bytes("b")));
        assertThat(reply(client.call(node, Frame.of(bytes("a")), within(PATIENCE))
                        .toCompletableFuture()))
                .isEqualTo(bytes("b"));
        client.close();
        server.close();
    }

    @Test
    void deadlinesPassInVirtualTime() {
        VirtualEnvironment virtual = VirtualEnvironment.seeded(1);
        LoopbackNetwork network = LoopbackNetwork.on(virtual);
        Transport server = network.transport("server:1");
        Transport client = network.transport("client");
        server.start((request, context) -> new CompletableFuture<>());
        client.start(echo());
        Node node = Node.of("server", "server:1");
        CompletableFuture<byte[]> second = virtualCall(virtual, client, node, Duration.ofSeconds(20));
        CompletableFuture<byte[]> first = virtualCall(virtual, client, node, Duration.ofSeconds(10));

        virtual.advance(Duration.ofMillis(9_999));
        assertThat(first).isNotDone();
        virtual.advance(Duration.ofMillis(2));
        assertThat(failure(first).outcome()).isEqualTo(Outcome.UNKNOWN);
        assertThat(second).isNotDone();
        virtual.advance(Duration.ofSeconds(10));
        assertThat(failure(second).outcome()).isEqualTo(Outcome.UNKNOWN);
        client.close();
        server.close();
    }

    private static CompletableFuture<byte[]> virtualCall(
            VirtualEnvironment virtual, Transport client, Node node, Duration timeout) {
        return client.call(node, Frame.of(bytes("a")), new CallContext(virtual::nanoTime, timeout.toNanos()))
                .toCompletableFuture();
    }
}
