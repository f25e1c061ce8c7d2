package io.dht4j.transport.http;

import static io.dht4j.testkit.HttpProblem.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.ErrorCode;
import io.dht4j.testkit.RawHttp;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Places among the requests in flight: who has one, and who waits without. */
@Timeout(60)
class HttpApiPlacesTest {

    private static final int PLACES = 2;

    /** For each place so many requests may wait for their bodies. */
    private static final int AWAITED = 4 * PLACES;

    private static final HttpApiOptions OPTIONS =
            HttpApiOptions.defaults().withMaxInFlight(PLACES).withBodyTimeout(Duration.ofMinutes(5));

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

    private static String get(String id) {
        return "GET /v0/entity?id=" + id + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    }

    @Test
    void pastTheNumberOfRequestsInFlightTheAnswerIsToComeBackLater() throws IOException {
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
    void headsWithoutBodiesTakeNobodysPlace() throws IOException {
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
}
