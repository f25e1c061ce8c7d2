package io.dht4j.testkit.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import java.net.http.HttpResponse;
import java.util.Map;

/** Assertions on the problem documents of the public HTTP API. */
public final class HttpProblem {

    private HttpProblem() {}

    /**
     * Asserts that an answer is the problem document of a code.
     *
     * @param answer the answer
     * @param status the expected status
     * @param code the expected error
     * @return the detail
     */
    public static String assertProblem(HttpResponse<byte[]> answer, int status, ErrorCode code) {
        String type = answer.headers().firstValue("Content-Type").orElse("");
        return assertProblem(answer.statusCode(), type, answer.body(), status, code);
    }

    /**
     * Asserts that an answer is the problem document of a code.
     *
     * @param answer the answer
     * @param status the expected status
     * @param code the expected error
     * @return the detail
     */
    public static String assertProblem(RawHttp.Answer answer, int status, ErrorCode code) {
        String type = String.valueOf(answer.headers().get("Content-Type"));
        return assertProblem(answer.status(), type, answer.body(), status, code);
    }

    private static String assertProblem(int status, String type, byte[] body, int expected, ErrorCode code) {
        assertThat(status).as(new String(body, UTF_8)).isEqualTo(expected);
        assertThat(type).isEqualTo("application/problem+json");
        Map<String, Object> problem = Json.object(body);
        assertThat(problem.keySet()).containsExactlyInAnyOrder("type", "title", "status", "detail", "code", "name");
        assertThat(problem)
                .containsEntry("type", "urn:dht4j:error:" + code.name())
                .containsEntry("status", (long) status)
                .containsEntry("code", (long) code.number())
                .containsEntry("name", code.name());
        assertThat(Json.text(problem, "title")).isNotBlank();
        String detail = Json.text(problem, "detail");
        assertThat(detail).isNotBlank().doesNotContain("Exception");
        return detail;
    }
}
