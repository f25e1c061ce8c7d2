package io.dht4j.transport.http.internal.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.OverloadedException;
import io.dht4j.transport.common.options.PublicApiOptions.Limits;
import io.dht4j.transport.common.options.PublicApiOptions.Patience;
import io.dht4j.transport.http.fixture.RawHttp;
import io.dht4j.transport.http.internal.server.HttpListener;
import io.dht4j.transport.http.internal.server.ListenerFixtures;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ApiExchangeTest {

    private static final Limits LIMITS = new Limits(100, 1, 100, 1024, 1);
    private static final Patience PATIENCE = new Patience(Duration.ofSeconds(30), Duration.ofSeconds(30));

    @Test
    void faultWithinAnAnswerCutsItAndFreesItsBytes() throws Exception {
        RequestAdmission admission = new RequestAdmission(LIMITS);
        HttpListener listener = new HttpListener(ListenerFixtures.at("127.0.0.1", 0));
        try {
            listener.start().toCompletableFuture().get(10, TimeUnit.SECONDS);
            listener.attachPublic(request -> {
                ApiExchange exchange =
                        new ApiExchange(request, listener.vertx(), LIMITS, PATIENCE, admission, listener.connections());
                exchange.share().enter();
                exchange.share().reserve(100);
                exchange.answerBegins();
                exchange.response().setChunked(true).write("half");
                exchange.fail(new OutOfMemoryError("as this test wants it"));
            });
            try (RawHttp raw = new RawHttp(listener.port())) {
                raw.send("GET /v0/entity?id=k HTTP/1.1\r\nHost: localhost\r\n\r\n");
                assertThat(raw.untilClosed()).contains("half").doesNotEndWith("0\r\n\r\n");
            }
            // The client sees the cut before the node has done with the exchange.
            await().atMost(Duration.ofSeconds(30)).until(() -> admission.hasRoomFor(100));
            await().atMost(Duration.ofSeconds(30))
                    .ignoreExceptionsInstanceOf(OverloadedException.class)
                    .untilAsserted(admission::enter);
        } finally {
            listener.close();
        }
    }
}
