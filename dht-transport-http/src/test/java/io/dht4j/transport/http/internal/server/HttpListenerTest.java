package io.dht4j.transport.http.internal.server;

import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dht4j.ErrorCode;
import io.dht4j.spi.TransportException;
import io.dht4j.transport.common.options.WireSecurity;
import io.dht4j.transport.http.internal.peer.PeerProtocol;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HttpListenerTest {

    private final List<HttpListener> listeners = new ArrayList<>();
    private final HttpClient client = HttpClient.newHttpClient();

    @AfterEach
    void closeListeners() {
        listeners.forEach(HttpListener::close);
    }

    @Test
    void listenerWithoutAHandlerAnswers503() throws Exception {
        HttpListener listener = started(ListenerFixtures.secured("127.0.0.1", 0, WireSecurity.onLoopback(), true));
        assertNotServing(listener, "/anything");
        assertNotServing(listener, PeerProtocol.PATH);

        listener.attachPublic(request -> request.response().end("public"));
        listener.attachPeer(request -> request.response().end("peer"));
        assertThat(get(listener, "/anything?a=b").body()).isEqualTo("public");
        assertThat(get(listener, PeerProtocol.PATH).body()).isEqualTo("peer");

        listener.detachPublic();
        assertNotServing(listener, "/anything");
        assertThat(get(listener, PeerProtocol.PATH).body()).isEqualTo("peer");
    }

    @Test
    void aBusyPortFailsWithItsAddress() throws Exception {
        HttpListener first = started(ListenerFixtures.at("127.0.0.1", 0));
        HttpListener second = listener(ListenerFixtures.at("127.0.0.1", first.port()));
        assertThatThrownBy(() -> second.start().toCompletableFuture().get(10, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("127.0.0.1:" + first.port());
    }

    @Test
    void throwingHandlerFailsItsRequestWith500Only() throws Exception {
        HttpListener listener = started(ListenerFixtures.at("127.0.0.1", 0));
        listener.attachPublic(request -> {
            throw new IllegalStateException("as this test wants it");
        });
        assertProblem(answer(listener, "/"), 500, ErrorCode.INTERNAL);
        listener.attachPublic(request -> request.response().end("well"));
        assertThat(get(listener, "/").body()).isEqualTo("well");
    }

    @Test
    void connectionsAreSpreadOverTheEventLoops() throws Exception {
        HttpListener listener = started(ListenerFixtures.at("127.0.0.1", 0));
        assertThat(ListenerFixtures.at("127.0.0.1", 0).eventLoops()).isEqualTo(2);
        Set<Thread> loops = ConcurrentHashMap.newKeySet();
        listener.attachPublic(request -> {
            loops.add(Thread.currentThread());
            request.response().putHeader("Connection", "close").end();
        });
        for (int i = 0; i < 8; i++) {
            get(listener, "/");
        }
        assertThat(loops).hasSize(2);
    }

    @Test
    void closingLetsARequestUnderWayEndAndThenEndsTheThreads() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        HttpListener listener = started(ListenerFixtures.at("127.0.0.1", 0));
        CompletableFuture<Runnable> arrived = new CompletableFuture<>();
        listener.attachPublic(request -> {
            Context loop = Vertx.currentContext();
            if (!arrived.complete(
                    () -> loop.runOnContext(now -> request.response().end("late but well")))) {
                // Another one that came before the closing began.
                request.response().end();
            }
        });
        CompletableFuture<HttpResponse<String>> answer = client.sendAsync(
                HttpRequest.newBuilder(uri(listener, "/")).build(), HttpResponse.BodyHandlers.ofString());
        Runnable answerIt = arrived.get(10, TimeUnit.SECONDS);

        CompletableFuture<Void> closed = CompletableFuture.runAsync(listener::close);
        await().untilAsserted(() -> assertThatThrownBy(() -> get(listener, "/")).isNotNull());
        answerIt.run();

        assertThat(answer.get(10, TimeUnit.SECONDS).body()).isEqualTo("late but well");
        closed.get(10, TimeUnit.SECONDS);
        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> !before.contains(thread))
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("vert")));
    }

    @Test
    void overlongRequestLinesAndHeadersAreRefused() throws Exception {
        HttpListener listener = started(ListenerFixtures.at("127.0.0.1", 0));
        assertThat(get(listener, "/" + "a".repeat(HttpListenerOptions.MAX_REQUEST_LINE))
                        .statusCode())
                .isEqualTo(400);
        HttpRequest request = HttpRequest.newBuilder(uri(listener, "/"))
                .header("X", "a".repeat(HttpListenerOptions.MAX_HEADERS))
                .build();
        assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(400);
    }

    @Test
    void closingTwiceAndBeforeTheStartIsAllowed() {
        HttpListener listener = listener(ListenerFixtures.at("127.0.0.1", 0));
        listener.close();
        listener.close();
    }

    private HttpListener listener(HttpListenerOptions options) {
        HttpListener listener = new HttpListener(options);
        listeners.add(listener);
        return listener;
    }

    private HttpListener started(HttpListenerOptions options) throws Exception {
        HttpListener listener = listener(options);
        listener.start().toCompletableFuture().get(10, TimeUnit.SECONDS);
        return listener;
    }

    private void assertNotServing(HttpListener listener, String path) throws Exception {
        HttpResponse<byte[]> answer = answer(listener, path);
        assertProblem(answer, 503, ErrorCode.NOT_SERVING);
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
        assertThat(answer.headers().firstValue(PeerProtocol.OUTCOME_HEADER)).contains(PeerProtocol.NOT_SENT);
    }

    private HttpResponse<byte[]> answer(HttpListener listener, String path) throws Exception {
        return client.send(
                HttpRequest.newBuilder(uri(listener, path))
                        .timeout(Duration.ofSeconds(10))
                        .build(),
                HttpResponse.BodyHandlers.ofByteArray());
    }

    private HttpResponse<String> get(HttpListener listener, String path) throws Exception {
        return client.send(
                HttpRequest.newBuilder(uri(listener, path))
                        .timeout(Duration.ofSeconds(10))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static URI uri(HttpListener listener, String path) {
        return URI.create("http://127.0.0.1:" + listener.port() + path);
    }
}
