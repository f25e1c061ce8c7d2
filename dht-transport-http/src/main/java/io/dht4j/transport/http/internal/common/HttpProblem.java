package io.dht4j.transport.http.internal.common;

import io.dht4j.ErrorCode;
import io.dht4j.RequestId;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.Locale;

/**
 * The error that clients receive: a problem detail of RFC 9457 with the stable number and name of its
 * {@link ErrorCode}.
 *
 * @param status the HTTP status
 * @param body the JSON
 * @param retryLater whether the client is asked to return after a second
 */
public record HttpProblem(int status, Buffer body, boolean retryLater) {

    public static final String CONTENT_TYPE = "application/problem+json";

    public static final String TYPE_PREFIX = "urn:dht4j:error:";

    /** Returns the status for a code. */
    public static int statusOf(ErrorCode code) {
        return switch (code) {
            case VALUE_TOO_LARGE -> 413;
            case UNAUTHENTICATED -> 401;
            case PERMISSION_DENIED -> 403;
            case METHOD_NOT_ALLOWED -> 405;
            case ATOMIC_KIND, COUNTER_OVERFLOW -> 409;
            case SNAPSHOT_GONE -> 410;
            case CONDITION_FAILED -> 412;
            case REQUEST_ID_REUSED -> 422;
            case NOT_ENOUGH_REPLICAS, WRITE_INDETERMINATE, NO_REPLY, DEADLINE_PASSED -> 504;
            default ->
                switch (code.action()) {
                    case FIX_REQUEST -> 400;
                    case RETRY_ANYWHERE, BACK_OFF -> 503;
                    case REPEAT_ONLY_THIS -> 500;
                };
        };
    }

    /** Returns an error in its usual form. */
    public static HttpProblem of(ErrorCode code, String detail) {
        return of(statusOf(code), code, detail);
    }

    /** Returns an error whose status does not follow from the code alone. */
    public static HttpProblem of(int status, ErrorCode code, String detail) {
        JsonObject json = new JsonObject()
                .put("type", TYPE_PREFIX + code.name())
                .put("title", titleOf(code))
                .put("status", status)
                .put("detail", detail)
                .put("code", code.number())
                .put("name", code.name());
        return new HttpProblem(status, json.toBuffer(), status == 503);
    }

    /** Returns the error of an operation on an atomic key whose outcome is unknown. */
    public static HttpProblem of(ErrorCode code, String detail, RequestId id) {
        HttpProblem problem = of(code, detail);
        JsonObject json = new JsonObject(problem.body()).put("request_id", id.toString());
        return new HttpProblem(problem.status(), json.toBuffer(), problem.retryLater());
    }

    /** Returns the answer for an absent key, which is no error of the cluster's and has no code. */
    public static HttpProblem absent() {
        JsonObject json = new JsonObject()
                .put("type", "about:blank")
                .put("title", "Not Found")
                .put("status", 404)
                .put("detail", "the key is absent, deleted or expired");
        return new HttpProblem(404, json.toBuffer(), false);
    }

    /** Returns the body for a request that is refused for its form, before it reaches the API. */
    public static byte[] refused(int status, String detail) {
        return of(status, ErrorCode.BAD_REQUEST, detail).body().getBytes();
    }

    /**
     * Returns the description in an error answer.
     *
     * @param body its body
     * @return the detail of a problem; another text, for example of an older version, as it is
     */
    public static String detailOf(String body) {
        if (body.startsWith("{")) {
            try {
                String detail = new JsonObject(body).getString("detail");
                return detail == null ? body : detail;
            } catch (DecodeException | ClassCastException e) {
                return body;
            }
        }
        return body;
    }

    private static String titleOf(ErrorCode code) {
        String words = code.name().replace('_', ' ').toLowerCase(Locale.ROOT);
        return Character.toUpperCase(words.charAt(0)) + words.substring(1);
    }
}
