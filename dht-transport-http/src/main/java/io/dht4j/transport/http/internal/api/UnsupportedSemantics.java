package io.dht4j.transport.http.internal.api;

import io.dht4j.ErrorCode;
import io.dht4j.transport.http.internal.common.ApiProtocol;
import io.dht4j.transport.http.internal.common.HttpProblem;
import io.dht4j.transport.http.internal.common.HttpText;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Refuses requests with semantics that this API does not support. Otherwise a client that requests a condition, a part
 * of a value, or a decoding would get a false confirmation. Reads ignore the headers that RFC 9110 allows to ignore:
 * {@code Range}, {@code If-None-Match}, {@code If-Modified-Since} and {@code If-Range}; the answer is then the whole
 * value.
 */
final class UnsupportedSemantics {

    /** The status for a body with a coding. */
    static final int UNSUPPORTED_MEDIA_TYPE = 415;

    private static final String IDENTITY = "identity";

    /** The headers that change the meaning of any request. */
    private static final List<CharSequence> OF_ANY =
            names("Content-Range", "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override");

    /** The conditions that a read cannot ignore. */
    private static final List<CharSequence> OF_READS = names("If-Match", "If-Unmodified-Since");

    /** The conditions that writes of atomic keys honour, and others must not ignore. */
    private static final List<CharSequence> OF_ATOMIC_KEYS = names("If-Match", "If-None-Match");

    /** Further conditions and parts, which a write must honour. */
    private static final List<CharSequence> OF_OTHER_CONDITIONS =
            names("If-Modified-Since", "If-Unmodified-Since", "If-Range", "Range");

    private UnsupportedSemantics() {}

    private static List<CharSequence> names(String... names) {
        return Stream.of(names).map(HttpHeaders::createOptimized).toList();
    }

    /** Returns why a request is refused; empty if this API does all that it says. */
    static Optional<HttpProblem> refusal(HttpServerRequest request) {
        MultiMap headers = request.headers();
        if (headers.contains(HttpHeaders.CONTENT_ENCODING)) {
            List<String> codings = headers.getAll(HttpHeaders.CONTENT_ENCODING);
            if (codings.size() > 1 || !codings.get(0).strip().equalsIgnoreCase(IDENTITY)) {
                return Optional.of(HttpProblem.of(
                        UNSUPPORTED_MEDIA_TYPE,
                        ErrorCode.BAD_REQUEST,
                        "Content-Encoding \"" + HttpText.shown(codings.get(0))
                                + "\" is not supported: a value is stored as the bytes of the body, without its"
                                + " coding"));
            }
        }
        HttpMethod method = request.method();
        String type = headers.get(HttpHeaders.CONTENT_TYPE);
        if (method.equals(HttpMethod.PUT) && type != null && areParts(type)) {
            return Optional.of(HttpProblem.of(
                    UNSUPPORTED_MEDIA_TYPE,
                    ErrorCode.BAD_REQUEST,
                    "Content-Type \"" + HttpText.shown(type) + "\" is not supported: a value is stored as the bytes of"
                            + " the body, with what separates its parts"));
        }
        boolean reads = method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
        Optional<HttpProblem> unknown = refusal(headers, OF_ANY);
        if (unknown.isPresent() || reads) {
            return unknown.isPresent() ? unknown : refusal(headers, OF_READS);
        }
        boolean isAtomic = ApiProtocol.ATOMIC.equals(request.path());
        if (isAtomic) {
            return refusal(headers, OF_OTHER_CONDITIONS);
        }
        for (CharSequence name : OF_ATOMIC_KEYS) {
            if (headers.contains(name)) {
                return Optional.of(
                        refusal(name, ". Atomic keys take conditions: " + ApiProtocol.ATOMIC + "?map=NAME&id=KEY"));
            }
        }
        return refusal(headers, OF_OTHER_CONDITIONS);
    }

    /** Returns whether a media type means parts to be taken out of the body, as {@code curl -F} sends a file. */
    private static boolean areParts(String type) {
        String lower = type.strip().toLowerCase(Locale.ROOT);
        return lower.startsWith("multipart/form-data") || lower.startsWith("multipart/byteranges");
    }

    private static Optional<HttpProblem> refusal(MultiMap headers, List<CharSequence> refused) {
        for (CharSequence name : refused) {
            if (headers.contains(name)) {
                return Optional.of(refusal(name, ""));
            }
        }
        return Optional.empty();
    }

    private static HttpProblem refusal(CharSequence name, String wayOut) {
        return HttpProblem.of(
                ErrorCode.BAD_REQUEST,
                name + " is not supported for this resource and method: without it the request would mean something"
                        + " else, so nothing was done" + wayOut);
    }
}
