package io.dht4j.transport.http.internal.api;

import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import io.dht4j.transport.http.fixture.ApiNodes;
import io.dht4j.transport.http.fixture.PausedCluster;
import io.dht4j.transport.http.fixture.RawHttp;
import io.dht4j.transport.http.fixture.RawHttp2;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Places among the requests in flight: who has one, and who waits without. */
@Timeout(60)
class HttpApiPlacesTest {

    private static final int PLACES = 2;

    /** For each place so many requests may wait for their bodies. */
    private static final int AWAITED = 4 * PLACES;

    private static final HttpApiOptions OPTIONS =
            HttpApiOptions.defaults().withMaxInFlight(PLACES).withBodyTimeout(Duration.ofMinutes(5));

    private static final String STATUS = "GET /v0/status HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private static ApiNodes nodes;

    @BeforeAll
    static void startNodes() {
        nodes = ApiNodes.of(1, builder -> builder, OPTIONS);
    }

    @AfterAll
    static void stopNodes() {
        nodes.close();
    }

    private static String put(String id) {
        return "PUT /v0/entity?id=" + id + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n";
    }

    private static String awaited(String id) {
        return "PUT /v0/entity?id=" + id + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"
                + "Expect: 100-continue\r\n\r\n";
    }

    private static String get(String id) {
        return "GET /v0/entity?id=" + id + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    }

    @Test
    void requestsOverTheInFlightLimitGetRetryAfter() throws IOException {
        PausedCluster paused = new PausedCluster();
        try (HttpApi api = HttpApi.listening("127.0.0.1", 0, paused.over(nodes.cluster(0)), OPTIONS);
                RawHttp first = new RawHttp(api.port());
                RawHttp second = new RawHttp(api.port());
                RawHttp third = new RawHttp(api.port())) {
            first.send(put("f1") + "half");
            second.send(put("f2") + "half");
            await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
                third.send("GET /v0/entities?start=zz HTTP/1.1\r\nHost: localhost\r\n\r\n");
                assertThat(third.read().status()).isEqualTo(503);
            });
            for (String request : new String[] {get("f1"), put("f3") + "body", put("f4") + "body"}) {
                third.send(request);
                RawHttp.Answer answer = third.read();
                assertProblem(answer, 503, ErrorCode.OVERLOADED);
                assertThat(answer.headers()).containsEntry("Retry-After", "1");
            }
            // For those who ask why.
            for (String path : new String[] {"/v0/status", "/v0/placement?id=a", "/livez", "/readyz"}) {
                third.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
                assertThat(third.read().status()).isEqualTo(200);
            }
            paused.release();
            assertThat(first.read().status()).isEqualTo(201);
            assertThat(second.read().status()).isEqualTo(201);
            third.send(get("f1"));
            assertThat(third.read().text()).isEqualTo("half");
        }
    }

    @Test
    void headsWithoutBodiesGiveWayToRequests() throws IOException {
        List<RawHttp> held = new ArrayList<>();
        try {
            for (int i = 0; i < AWAITED; i++) {
                held.add(new RawHttp(nodes.port(0)));
                held.get(i)
                        .send("PUT /v0/entity?id=held" + i + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"
                                + "Expect: 100-continue\r\n\r\n");
                assertThat(held.get(i).read().status()).isEqualTo(100);
            }
            assertThat(nodes.put(0, "/v0/entity?id=free", "value").statusCode()).isEqualTo(201);
            assertThat(nodes.get(0, "/v0/entity?id=free").statusCode()).isEqualTo(200);
            // One more: the one that has waited longest gives way.
            RawHttp newest = new RawHttp(nodes.port(0));
            held.add(newest);
            newest.send(put("newest"));
            assertProblem(held.get(0).read(), 503, ErrorCode.OVERLOADED);
            assertThat(held.get(0).isClosedByServer()).isTrue();
            newest.send("four");
            assertThat(newest.read().status()).isEqualTo(201);
            for (int i = 1; i < AWAITED; i++) {
                held.get(i).send("four");
                assertThat(held.get(i).read().status()).isEqualTo(201);
            }
        } finally {
            for (RawHttp each : held) {
                each.close();
            }
        }
    }

    /** A cluster whose reads hold the thread up that asks, until they may go on. */
    private static Cluster holdingUp(Cluster cluster, CountDownLatch reading, CountDownLatch mayGoOn) {
        return (Cluster) Proxy.newProxyInstance(
                Cluster.class.getClassLoader(), new Class<?>[] {Cluster.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("get")) {
                        reading.countDown();
                        assertThat(mayGoOn.await(30, TimeUnit.SECONDS)).isTrue();
                    }
                    try {
                        return method.invoke(cluster, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void aBodyThatComesWhileItsRequestIsToGiveWayIsCarriedOut() throws Exception {
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        PausedCluster paused = new PausedCluster();
        List<RawHttp> held = new ArrayList<>();
        try (HttpTransport transport =
                HttpTransport.create(HttpTransportOptions.at("127.0.0.1", 0).withEventLoops(1))) {
            transport
                    .start((frame, context) -> CompletableFuture.completedFuture(frame))
                    .toCompletableFuture()
                    .get(10, TimeUnit.SECONDS);
            Cluster cluster = paused.over(holdingUp(nodes.cluster(0), reading, mayGoOn));
            try (HttpApi api = HttpApi.sharing(transport, cluster, OPTIONS.withMaxInFlight(PLACES + 1));
                    RawHttp reader = new RawHttp(api.port());
                    RawHttp newest = new RawHttp(api.port());
                    RawHttp other = new RawHttp(api.port())) {
                for (int i = 0; i < 4 * (PLACES + 1); i++) {
                    held.add(new RawHttp(api.port()));
                    held.get(i).send(awaited("held" + i));
                    assertThat(held.get(i).read().status()).isEqualTo(100);
                }
                other.send(STATUS);
                assertThat(other.read().status()).isEqualTo(200);
                // So that it is accepted.
                newest.send(STATUS);
                assertThat(newest.read().status()).isEqualTo(200);
                // The only event loop finds both when it goes on: the head that makes the first one give way, then
                // the body of that one.
                reader.send(get("free"));
                assertThat(reading.await(30, TimeUnit.SECONDS)).isTrue();
                newest.send(awaited("newest"));
                held.get(0).send("four");
                mayGoOn.countDown();
                assertThat(newest.read().status()).isEqualTo(100);
                // In a later round of the event loop: it has done what it was asked to do in that one.
                other.send(STATUS);
                assertThat(other.read().status()).isEqualTo(200);
                paused.release();
                assertThat(held.get(0).read().status()).isEqualTo(201);
            }
        } finally {
            mayGoOn.countDown();
            for (RawHttp each : held) {
                each.close();
            }
        }
    }

    @Test
    void executedRequestTakesAConnectionPlace() throws Exception {
        HttpTransportOptions one = HttpTransportOptions.at("127.0.0.1", 0).withMaxConnectionsPerAddress(1);
        try (HttpTransport transport = HttpTransport.create(one)) {
            transport
                    .start((frame, context) -> CompletableFuture.completedFuture(frame))
                    .toCompletableFuture()
                    .get(10, TimeUnit.SECONDS);
            try (HttpApi api = HttpApi.sharing(transport, nodes.cluster(0), OPTIONS);
                    RawHttp first = new RawHttp(api.port())) {
                first.send(get("k"));
                assertThat(first.read().status()).isEqualTo(404);
                for (String path : new String[] {"/v0/snapshots", "/v0/repair"}) {
                    try (RawHttp2 second = new RawHttp2(api.port())) {
                        second.request("POST", path, true);
                        String body = new String(second.readUntil(RawHttp2.DATA).payload(), StandardCharsets.UTF_8);
                        assertThat(body).contains("\"status\":503", "connections");
                    }
                }
                try (RawHttp second = new RawHttp(api.port())) {
                    second.send("GET /v0/status HTTP/1.1\r\nHost: localhost\r\nContent-Length: 00\r\n\r\n");
                    assertProblem(second.read(), 503, ErrorCode.OVERLOADED);
                }
            }
        }
    }

    @Test
    void refusedRequestTakesNoConnectionPlace(@TempDir Path directory) throws Exception {
        Path tokens = Files.writeString(directory.resolve("tokens"), "admin admin-admin-admin-admin\n");
        HttpApiOptions options = OPTIONS.withTokens(tokens).withMaxConnectionsPerAddress(2);
        List<RawHttp> strangers = new ArrayList<>();
        List<RawHttp> held = new ArrayList<>();
        try (HttpApi api = HttpApi.listening("127.0.0.1", 0, nodes.cluster(0), options)) {
            for (String target : new String[] {"/v0/status", "/v0/entity?id=k", "/v0/elsewhere", "/v0/repair"}) {
                strangers.add(new RawHttp(api.port()).send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n"));
                assertProblem(strangers.get(strangers.size() - 1).read(), 401, ErrorCode.UNAUTHENTICATED);
            }
            String known = "GET /v0/status HTTP/1.1\r\nHost: localhost\r\n"
                    + "Authorization: Bearer admin-admin-admin-admin\r\n\r\n";
            for (int i = 0; i < 2; i++) {
                held.add(new RawHttp(api.port()).send(known));
                assertThat(held.get(i).read().status()).isEqualTo(200);
            }
            held.add(new RawHttp(api.port()).send(known));
            RawHttp.Answer refused = held.get(2).read();
            assertProblem(refused, 503, ErrorCode.OVERLOADED);
            assertThat(refused.headers()).containsEntry("Connection", "close");
            assertThat(held.get(2).isClosedByServer()).isTrue();
        } finally {
            held.addAll(strangers);
            for (RawHttp each : held) {
                each.close();
            }
        }
    }
}
