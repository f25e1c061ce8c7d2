package io.dht4j.transport.http;

import static io.dht4j.transport.http.HttpApiEntityTest.assertProblem;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What clients see when nodes die. The clusters' timeout is an hour: an answer that comes at all has not waited for the
 * deadline.
 */
@Timeout(120)
class HttpApiFailureTest {

    private static ApiNodes patient() {
        return ApiNodes.of(3, builder -> builder.timeout(Duration.ofHours(1)), HttpApiOptions.defaults());
    }

    @Test
    void withOneNodeOfThreeDownQuorumsAreServed() {
        try (ApiNodes nodes = patient()) {
            nodes.put(0, "/v0/entity?id=before", "value");
            nodes.stop(2);
            for (int i = 0; i < 20; i++) {
                String target = "/v0/entity?id=during" + i;
                assertThat(nodes.put(0, target, "value").statusCode()).isEqualTo(201);
                assertThat(nodes.get(1, target).statusCode()).isEqualTo(200);
                assertThat(nodes.delete(0, target).statusCode()).isEqualTo(202);
                assertThat(nodes.get(1, target).statusCode()).isEqualTo(404);
            }
            assertThat(nodes.get(1, "/v0/entity?id=before").body()).isEqualTo("value".getBytes(UTF_8));
            assertThat(nodes.get(0, "/v0/entities?start=b&end=c").body()).isEqualTo("before\nvalue".getBytes(UTF_8));
            assertProblem(nodes.get(0, "/v0/entity?id=before&ack=3&from=3"), 504, 2000, "NOT_ENOUGH_REPLICAS");
        }
    }

    @Test
    void withTwoNodesDownTheAnswerSaysHowManyAnsweredAndComesAtOnce() {
        try (ApiNodes nodes = patient()) {
            nodes.put(0, "/v0/entity?id=k", "value");
            nodes.stop(1);
            nodes.stop(2);
            HttpResponse<byte[]> read = nodes.get(0, "/v0/entity?id=k");
            assertProblem(read, 504, 2000, "NOT_ENOUGH_REPLICAS");
            assertThat(new JsonObject(Buffer.buffer(read.body())).getString("detail"))
                    .contains("1 of 2");
            HttpResponse<byte[]> written = nodes.put(0, "/v0/entity?id=k", "other");
            assertProblem(written, 504, 3000, "WRITE_INDETERMINATE");
            assertThat(new JsonObject(Buffer.buffer(written.body())).getString("detail"))
                    .contains("1 of 2");
            assertProblem(nodes.delete(0, "/v0/entity?id=k"), 504, 3000, "WRITE_INDETERMINATE");
            assertThat(nodes.get(0, "/v0/entity?id=k&ack=1&from=3").statusCode())
                    .isIn(200, 404);
            assertThat(nodes.get(0, "/v0/status").statusCode()).isEqualTo(200);
            assertThat(nodes.get(0, "/v0/placement?id=k").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void aNodeThatComesBackIsUsedByTheNextRequest() {
        try (ApiNodes nodes = patient()) {
            nodes.stop(1);
            nodes.stop(2);
            assertThat(nodes.put(0, "/v0/entity?id=k", "value").statusCode()).isEqualTo(504);
            nodes.start(1);
            assertThat(nodes.put(0, "/v0/entity?id=k", "value").statusCode()).isEqualTo(201);
            assertThat(nodes.get(1, "/v0/entity?id=k").body()).isEqualTo("value".getBytes(UTF_8));
            nodes.start(2);
            assertThat(nodes.put(0, "/v0/entity?id=k&ack=3&from=3", "all").statusCode())
                    .isEqualTo(201);
        }
    }

    @Test
    void aKeyOfOneReplicaNeedsThatReplicaOnly() {
        try (ApiNodes nodes = patient()) {
            String first = new JsonObject(
                            Buffer.buffer(nodes.get(0, "/v0/placement?id=k").body()))
                    .getJsonArray("replicas")
                    .getString(0);
            int holder = first.charAt(1) - '1';
            int other = (holder + 1) % 3;
            nodes.put(other, "/v0/entity?id=k&from=1", "value");
            nodes.stop(holder);
            assertProblem(nodes.get(other, "/v0/entity?id=k&from=1"), 504, 2000, "NOT_ENOUGH_REPLICAS");
            assertThat(nodes.get(other, "/v0/entity?id=k").statusCode()).isEqualTo(404);
        }
    }
}
