package io.dht4j.testkit.transport;

import static io.dht4j.testkit.transport.Calls.NO_BYTES;
import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.number;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.dht4j.Node;
import io.dht4j.spi.Frame;
import io.dht4j.spi.TransportException.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes that have left the cluster, or have another address. A part of {@link TransportContract}. */
interface ForgottenPeersSuite extends TransportHarness {

    /** Few, since a transport may have many threads. */
    int SERVERS = 4;

    @Test
    @Tag("core")
    default void forgettingANodeEndsItsCallsInFlight() {
        Recorder recorder = new Recorder((request, context) ->
                request.length == 0 ? new CompletableFuture<>() : CompletableFuture.completedFuture(request));
        Started server = start(recorder);
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            calls.add(client.call(server, NO_BYTES, within(Duration.ofHours(1))));
        }
        recorder.awaitCount(10);
        client.transport().forget(server.node());
        calls.forEach(call -> assertThat(failure(call).outcome()).isEqualTo(Outcome.UNKNOWN));
        assertThat(reply(client.call(server, bytes("again"), within(PATIENCE)))).isEqualTo(bytes("again"));
    }

    @Test
    default void aNodeOfAnotherWeightIsForgottenToo() {
        Recorder recorder = new Recorder((request, context) -> new CompletableFuture<>());
        Started server = start(recorder);
        Started client = start(echo());
        Node heavier = new Node(server.node().id(), server.node().address(), 2);
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (Node node : List.of(server.node(), heavier)) {
            calls.add(client.transport()
                    .call(node, Frame.of(NO_BYTES), within(Duration.ofHours(1)))
                    .toCompletableFuture());
        }
        recorder.awaitCount(2);
        client.transport().forget(heavier);
        calls.forEach(call -> assertThat(failure(call).outcome()).isEqualTo(Outcome.UNKNOWN));
    }

    @Test
    default void otherNodesAndOtherAddressesAreNotForgotten() {
        CompletableFuture<byte[]> late = new CompletableFuture<>();
        Recorder recorder = new Recorder((request, context) -> late);
        Started gone = start(echo());
        Started moved = start(recorder);
        Started client = start(echo());
        reply(client.call(gone, number(1), within(PATIENCE)));
        // The same node at another address, and another node at the address of the forgotten one.
        CompletableFuture<byte[]> underWay = client.call(moved, NO_BYTES, within(Duration.ofHours(1)));
        recorder.awaitCount(1);
        client.transport().forget(gone.node());
        client.transport().forget(Node.of("other", moved.address()));
        client.transport().forget(Node.of("never-called", gone.address()));
        late.complete(bytes("late"));
        assertThat(reply(underWay)).isEqualTo(bytes("late"));
    }

    @Test
    @Tag("core")
    default void forgottenNodesLeaveNoSocketsOpen() {
        assumeTrue(closesFiles(), "its library leaves them to the garbage collector");
        Started client = start(echo());
        List<Started> servers = new ArrayList<>();
        for (int i = 0; i < SERVERS; i++) {
            servers.add(start(echo()));
            reply(client.call(servers.get(i), number(i), within(PATIENCE)));
            client.transport().forget(servers.get(i).node());
        }
        // Files that the first use of a transport opens permanently are no leak.
        long before = OpenFiles.count();
        for (int round = 0; round < 3; round++) {
            for (Started server : servers) {
                reply(client.call(server, number(round), within(PATIENCE)));
            }
            servers.forEach(server -> client.transport().forget(server.node()));
        }
        // Fewer than one for each server.
        OpenFiles.expectAtMost(before + SERVERS - 1);
    }

    @Test
    default void callsThatRaceWithForgettingAllEnd() {
        Started server = start(echo());
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            calls.add(client.call(server, number(i), within(PATIENCE)));
            if (i % 50 == 0) {
                client.transport().forget(server.node());
            }
        }
        calls.forEach(Calls::outcomeOf);
        assertThat(reply(client.transport()
                        .call(server.node(), Frame.of(bytes("a")), within(PATIENCE))
                        .toCompletableFuture()))
                .isEqualTo(bytes("a"));
    }
}
