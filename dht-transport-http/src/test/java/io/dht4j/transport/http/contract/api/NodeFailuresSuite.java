package io.dht4j.transport.http.contract.api;

import static io.dht4j.transport.http.contract.api.HttpApiSuite.json;
import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.ErrorCode;
import io.dht4j.transport.http.fixture.Json;
import io.dht4j.transport.http.fixture.RawHttp;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes that stop and come back. A part of {@link HttpApiContract}. */
interface NodeFailuresSuite extends HttpApiSuite {

    @Test
    @Tag("core")
    default void withOneNodeOfThreeDownQuorumsAreServed() throws Exception {
        try (HttpApiContract.Nodes nodes = startNodes()) {
            put(nodes, 0, "/v0/entity?id=before", "value");
            nodes.stop(2);
            for (int i = 0; i < 20; i++) {
                String target = "/v0/entity?id=during" + i;
                assertThat(put(nodes, 0, target, "value").statusCode()).isEqualTo(201);
                assertThat(get(nodes, 1, target).statusCode()).isEqualTo(200);
                assertThat(send(nodes, 0, "DELETE", target, new byte[0]).statusCode())
                        .isEqualTo(202);
                assertThat(get(nodes, 1, target).statusCode()).isEqualTo(404);
            }
            assertThat(get(nodes, 1, "/v0/entity?id=before").body()).isEqualTo("value".getBytes(UTF_8));
            assertThat(get(nodes, 0, "/v0/entities?start=b&end=c").body()).isEqualTo("before\nvalue".getBytes(UTF_8));
            assertProblem(get(nodes, 0, "/v0/entity?id=before&ack=3&from=3"), 504, ErrorCode.NOT_ENOUGH_REPLICAS);
        }
    }

    @Test
    @Tag("core")
    default void answerWithTwoNodesDownCountsTheReplicas() throws Exception {
        try (HttpApiContract.Nodes nodes = startNodes()) {
            put(nodes, 0, "/v0/entity?id=k", "value");
            nodes.stop(1);
            nodes.stop(2);
            HttpResponse<byte[]> read = get(nodes, 0, "/v0/entity?id=k");
            assertThat(assertProblem(read, 504, ErrorCode.NOT_ENOUGH_REPLICAS)).containsPattern("[01] of 2");
            HttpResponse<byte[]> written = put(nodes, 0, "/v0/entity?id=k", "other");
            assertThat(assertProblem(written, 504, ErrorCode.WRITE_INDETERMINATE))
                    .containsPattern("[01] of 2");
            assertProblem(send(nodes, 0, "DELETE", "/v0/entity?id=k", new byte[0]), 504, ErrorCode.WRITE_INDETERMINATE);
            byte[] line = "{\"key_base64\":\"YQ==\"}".getBytes(UTF_8);
            assertProblem(
                    send(nodes, 0, "POST", "/v0/batch-get", line, "Content-Type", "application/x-ndjson"),
                    504,
                    ErrorCode.NOT_ENOUGH_REPLICAS);
            assertProblem(get(nodes, 0, "/v0/entities?start=a"), 504, ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(get(nodes, 0, "/v0/entities?start=a&scope=node").statusCode())
                    .isEqualTo(200);
            assertThat(get(nodes, 0, "/v0/entity?id=k&ack=1&from=3").statusCode())
                    .isIn(200, 404);
            assertThat(get(nodes, 0, "/v0/status").statusCode()).isEqualTo(200);
            assertThat(get(nodes, 0, "/v0/placement?id=k").statusCode()).isEqualTo(200);
        }
    }

    @Test
    @Tag("core")
    default void aNodeThatComesBackIsUsedByTheNextRequest() throws Exception {
        try (HttpApiContract.Nodes nodes = startNodes()) {
            nodes.stop(1);
            nodes.stop(2);
            assertThat(put(nodes, 0, "/v0/entity?id=k", "value").statusCode()).isEqualTo(504);
            nodes.start(1);
            assertThat(put(nodes, 0, "/v0/entity?id=k", "value").statusCode()).isEqualTo(201);
            assertThat(get(nodes, 1, "/v0/entity?id=k").body()).isEqualTo("value".getBytes(UTF_8));
            nodes.start(2);
            assertThat(put(nodes, 0, "/v0/entity?id=k&ack=3&from=3", "all").statusCode())
                    .isEqualTo(201);
        }
    }

    @Test
    default void aKeyOfOneReplicaNeedsThatReplicaOnly() throws Exception {
        try (HttpApiContract.Nodes nodes = startNodes()) {
            List<?> replicas = Json.list(json(get(nodes, 0, "/v0/placement?id=k")), "replicas");
            int holder = ((String) replicas.get(0)).charAt(1) - '1';
            int other = (holder + 1) % 3;
            put(nodes, other, "/v0/entity?id=k&from=1", "value");
            nodes.stop(holder);
            assertProblem(get(nodes, other, "/v0/entity?id=k&from=1"), 504, ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(get(nodes, other, "/v0/entity?id=k").statusCode()).isEqualTo(404);
        }
    }

    @Test
    @Tag("core")
    default void aScanThatFailsInTheMiddleIsSeenToBeTruncated() throws Exception {
        try (HttpApiContract.Nodes nodes = startNodes()) {
            byte[] value = new byte[200_000];
            for (int i = 0; i < 100; i++) {
                assertThat(send(nodes, i % 3, "PUT", "/v0/entity?id=fill" + i, value)
                                .statusCode())
                        .isEqualTo(201);
            }
            try (RawHttp raw = new RawHttp(nodes.base(0).getPort(), 4096)) {
                raw.send("GET /v0/entities?start=fill HTTP/1.1\r\nHost: localhost\r\n\r\n");
                assertThat(raw.line()).isEqualTo("HTTP/1.1 200 OK");
                nodes.stop(1);
                nodes.stop(2);
                while (!raw.line().isEmpty()) {
                    // Only the chunks are relevant here.
                }
                assertThatThrownBy(() -> {
                            while (raw.chunk().length > 0) {
                                // Read until the end, which must not be a regular one.
                            }
                        })
                        .isInstanceOf(IOException.class);
            }
        }
    }
}
