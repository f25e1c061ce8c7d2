package io.dht4j.server.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.server.log.ShellWords;
import io.dht4j.spi.ConnectFailure;
import java.net.ProtocolException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

/** Creates the messages of error answers, and of nodes that do not answer. Immutable. */
final class AnswerFailures {

    private static final int UNAUTHORIZED = 401;

    private final int nodes;
    private final Duration timeout;

    /**
     * Creates the messages of a client.
     *
     * @param nodes how many nodes it tries
     * @param timeout how long it waits for an answer
     */
    AnswerFailures(int nodes, Duration timeout) {
        this.nodes = nodes;
        this.timeout = timeout;
    }

    /** Returns the failure to get an answer from a node, the last one that was tried. */
    ClientException unreachable(URI node, Throwable error) {
        Throwable cause = DhtException.unwrap(error);
        String tried = nodes == 1 ? "" : " (none of the " + nodes + " nodes answers)";
        return new ClientException(node + ": " + why(node, cause) + tried, true);
    }

    private String why(URI node, Throwable cause) {
        Optional<String> connecting = ConnectFailure.inWords(cause);
        if (cause instanceof SSLHandshakeException || (cause instanceof SSLException && connecting.isEmpty())) {
            return "no trustworthy connection: " + connecting.orElseGet(cause::getMessage)
                    + "; is it https, and does --tls-ca name the authority of its certificate?";
        }
        if (connecting.isPresent()) {
            return connecting.get();
        }
        if (cause instanceof HttpTimeoutException) {
            return "no answer within " + timeout.toMillis() + " ms";
        }
        String message = String.valueOf(cause.getMessage());
        if (isOtherProtocol(cause)) {
            return "it does not speak HTTP/1.1; is this a gRPC port?";
        }
        // A closed connection has no type of its own here.
        if (message.contains("received no bytes")) {
            return "the connection was closed without an answer; is it "
                    + (node.getScheme().equals("http") ? "https?" : "a gRPC port?");
        }
        return ConnectFailure.message(cause);
    }

    /** Returns whether the node may have carried out a request without an answer. */
    static boolean mayBeDone(Throwable error) {
        Throwable cause = DhtException.unwrap(error);
        return ConnectFailure.inWords(cause).isEmpty()
                && !(cause instanceof SSLHandshakeException)
                && !isOtherProtocol(cause);
    }

    private static boolean isOtherProtocol(Throwable cause) {
        // The message would show the bytes that came in place of HTTP.
        return hasCause(cause, ProtocolException.class)
                || String.valueOf(cause.getMessage()).startsWith("parsing HTTP/1.1 status line");
    }

    private static boolean hasCause(Throwable failure, Class<? extends Throwable> type) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .limit(20)
                .anyMatch(type::isInstance);
    }

    /** Returns an error answer in one line: the node's detail, its code, the HTTP status and the node. */
    static ClientException refused(HttpResponse<?> response, byte[] body) {
        JsonNode problem = json(body).orElse(Json.MAPPER.createObjectNode());
        String code = problem.path("name").asText();
        // An embedded node names calls, and this is a shell.
        String what = ShellWords.of(
                problem.path("detail").asText(problem.path("title").asText("refused")));
        int status = response.statusCode();
        return new ClientException(
                what + hint(status, code) + " (" + (code.isEmpty() ? "" : code + ", ") + "HTTP " + status + " from "
                        + origin(response) + ")",
                status == 503 || status == 504,
                code.equals(ErrorCode.OVERLOADED.name()),
                retryAfter(response));
    }

    /** Returns the code of an error answer; empty if it has none that this version knows. */
    static Optional<ErrorCode> code(HttpResponse<byte[]> response) {
        String name = json(response.body())
                .map(problem -> problem.path("name").asText())
                .orElse("");
        return Stream.of(ErrorCode.values())
                .filter(code -> code.name().equals(name))
                .findFirst();
    }

    private static String hint(int status, String code) {
        if (status == UNAUTHORIZED) {
            return "; --token-file or DHT_TOKEN brings one";
        }
        if (code.equals(ErrorCode.VALUE_TOO_LARGE.name())) {
            return "; --max-value-bytes of ./dht server sets the limit, the same on every node";
        }
        return code.equals(ErrorCode.REQUEST_FORGOTTEN.name())
                ? "; it is not executed now: read the key, and decide"
                : "";
    }

    /** Returns the pause in seconds; nodes never send the other form, a date. */
    private static Duration retryAfter(HttpResponse<?> response) {
        return response.headers()
                .firstValue("Retry-After")
                .filter(text -> text.matches("[0-9]{1,9}"))
                .map(text -> Duration.ofSeconds(Long.parseLong(text)))
                .orElse(Duration.ZERO);
    }

    /** Returns the scheme, host and port of the node that has answered. */
    static String origin(HttpResponse<?> response) {
        URI uri = response.uri();
        return uri.getScheme() + "://" + uri.getAuthority();
    }

    /** Returns the JSON object of an answer; empty if it is not an object. */
    static Optional<JsonNode> json(byte[] body) {
        try {
            JsonNode node = Json.MAPPER.readTree(new String(body, StandardCharsets.UTF_8));
            return node.isObject() ? Optional.of(node) : Optional.empty();
        } catch (JsonProcessingException e) {
            return Optional.empty(); // Some other server: the caller has the status to report.
        }
    }

    /** Made by the first answer in JSON: most commands get none, and the mapper takes a tenth of their time. */
    private static final class Json {

        static final ObjectMapper MAPPER = new ObjectMapper();
    }
}
