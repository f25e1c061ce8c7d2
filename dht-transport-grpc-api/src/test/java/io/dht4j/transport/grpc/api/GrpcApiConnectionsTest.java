package io.dht4j.transport.grpc.api;

import static io.dht4j.transport.grpc.api.GrpcApiNodes.PATIENCE;
import static io.dht4j.transport.grpc.api.GrpcApiNodes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.v1.GetRequest;
import io.dht4j.v1.GetResponse;
import io.dht4j.v1.KeyValueGrpc;
import io.dht4j.v1.StatusRequest;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which connections have a place, and which give theirs to others. */
@Timeout(60)
class GrpcApiConnectionsTest extends SteeredApi {

    private static final GetRequest GET =
            GetRequest.newBuilder().setKey(bytes("k")).build();

    @Test
    void excessConnectionsAreClosedWhileAllOthersHaveCalls() throws Exception {
        List<Future<GetResponse>> calls = new ArrayList<>();
        calls.add(start(GrpcApiOptions.defaults().withMaxConnections(2)).get(GET));
        calls.add(client().get(GET));
        await().atMost(PATIENCE).until(() -> cluster.gets.size() == 2);
        try (Socket third = silent()) {
            assertThat(isClosed(third)).isTrue();
        }
        cluster.gets.forEach(get -> get.complete(Optional.empty()));
        for (Future<GetResponse> call : calls) {
            call.get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void connectionsWithoutCallsGiveWayWhenFull() throws Exception {
        start(GrpcApiOptions.defaults().withMaxConnections(3));
        ManagedChannel resting = channel();
        KeyValueGrpc.KeyValueFutureStub client = KeyValueGrpc.newFutureStub(resting);
        client.status(StatusRequest.getDefaultInstance()).get(30, TimeUnit.SECONDS);
        AtomicBoolean lost = new AtomicBoolean();
        resting.notifyWhenStateChanged(ConnectivityState.READY, () -> lost.set(true));
        Future<GetResponse> call = client().get(GET);
        await().atMost(PATIENCE).until(() -> cluster.gets.size() == 1);
        Socket last = greeted();
        for (int i = 0; i < 3; i++) {
            Socket next = greeted();
            try (Socket leaving = last) {
                assertIsClosed(leaving);
            }
            last = next;
        }
        client.status(StatusRequest.getDefaultInstance()).get(30, TimeUnit.SECONDS);
        assertThat(lost).isFalse();
        // Those who have rested for long go too, but last; nobody who waits for an answer does.
        try (Socket silent = last) {
            Future<GetResponse> other = client().get(GET);
            await().atMost(PATIENCE).until(() -> cluster.gets.size() == 2);
            assertIsClosed(silent);
            Future<GetResponse> another = client().get(GET);
            await().atMost(PATIENCE).until(() -> cluster.gets.size() == 3);
            await().atMost(PATIENCE).untilTrue(lost);
            cluster.gets.forEach(get -> get.complete(Optional.empty()));
            for (Future<GetResponse> each : List.of(call, other, another)) {
                each.get(30, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void silentConnectionsKeepNoNewcomerOut() throws Exception {
        start(GrpcApiOptions.defaults().withMaxConnections(8));
        List<Socket> silent = new ArrayList<>();
        try {
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 60; i++) {
                    silent.add(silent());
                }
                client().status(StatusRequest.getDefaultInstance()).get(30, TimeUnit.SECONDS);
            }
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    private Socket greeted() throws IOException {
        Socket socket = silent();
        assertThat(socket.getInputStream().read()).as("the server's settings").isNotEqualTo(-1);
        return socket;
    }

    private static void assertIsClosed(Socket socket) throws IOException {
        try {
            socket.getInputStream().readAllBytes();
        } catch (SocketTimeoutException e) {
            throw new AssertionError("the connection is still there", e);
        } catch (IOException e) {
            // Reset, since not everything that was sent had been read.
            return;
        }
    }

    @Test
    void excessConnectionsOfAnAddressAreClosedAtAcceptance() throws Exception {
        start(GrpcApiOptions.defaults().withMaxConnectionsPerAddress(3));
        // Silent: nobody has to wait for their handshakes to know of them.
        List<Socket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                silent.add(silent());
            }
            for (int i = 0; i < 3; i++) {
                try (Socket refused = silent()) {
                    assertThat(isClosed(refused)).isTrue();
                }
            }
            silent.remove(0).close();
            await().atMost(PATIENCE)
                    // Refused, as long as the server does not know that the other has gone.
                    .ignoreExceptions()
                    .untilAsserted(() ->
                            client().status(StatusRequest.getDefaultInstance()).get(30, TimeUnit.SECONDS));
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    private Socket silent() throws IOException {
        Socket socket = new Socket("127.0.0.1", api.port());
        socket.setSoTimeout((int) PATIENCE.toMillis());
        return socket;
    }

    private static boolean isClosed(Socket socket) {
        try {
            return socket.getInputStream().read() == -1;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            // What was sent to it meanwhile makes the end a reset.
            return true;
        }
    }
}
