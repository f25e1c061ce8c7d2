package io.dht4j.server.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dht4j.ErrorCode;
import io.dht4j.transport.http.fixture.RawHttp;
import java.util.List;

/** Whether an answer of the public HTTP API is right, or one clear error with a number. */
final class HttpAnswers {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<Integer> GOOD = List.of(200, 201, 202, 204);
    private static final int REDIRECTED = 308;
    private static final int NOT_FOUND = 404;
    private static final int NOT_READY = 503;
    private static final String READY_PATH = " /readyz";
    private static final String PEER_PATH = " /peer/v1/frame";

    private HttpAnswers() {}

    static void check(RawHttp.Answer answer, String request) throws Exception {
        requireNoTrace(answer.text(), request);
        if (GOOD.contains(answer.status())) {
            return;
        }
        if (request.contains(PEER_PATH)) {
            // Where peers call, their transport knows the status and a header.
            assertThat(answer.status()).as(request).isGreaterThanOrEqualTo(400);
            return;
        }
        if (request.contains(READY_PATH) && answer.status() == NOT_READY) {
            // A probe, whose answer is a line for people.
            assertThat(answer.text()).as(request).startsWith("not ready: ");
            return;
        }
        if (answer.status() == REDIRECTED) {
            assertThat(answer.headers().get("Location")).as(request).endsWith("./console");
            return;
        }
        assertThat(answer.headers().get("Content-Type"))
                .as("%s answered %d %s", request, answer.status(), answer.text())
                .startsWith("application/problem+json");
        JsonNode problem = JSON.readTree(answer.body());
        assertThat(problem.path("status").asInt()).as(request).isEqualTo(answer.status());
        if (answer.status() == NOT_FOUND) {
            return;
        }
        ErrorCode code = ErrorCode.byNumber(problem.path("code").asInt()).orElseThrow();
        assertThat(problem.path("name").asText()).as(request).isEqualTo(code.name());
        assertThat(code).as("%s answered %s", request, answer.text()).isNotEqualTo(ErrorCode.INTERNAL);
        assertThat(problem.path("detail").asText()).as(request).isNotBlank();
    }

    /** Nothing that a Java program says when it does not know what to do. */
    static void requireNoTrace(String text, String request) {
        assertThat(text)
                .as("the answer to %s", request)
                .doesNotContain("Exception", "\tat ", "java.lang", "io.netty", "io.vertx", "NullPointer");
    }
}
