package io.dht4j.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.Key;
import io.dht4j.RequestId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Operations on atomic keys whose nodes do not answer, or not as they should. */
class AtomicRequestsTest {

    private static final RequestId ID = RequestId.of(1_796_000_000_000L, 1, 2);
    private static final RequestId OF_NODE = RequestId.of(1_796_000_000_001L, 3, 4);

    /** Ends the connection without an answer. */
    private static final String NOTHING = "";

    private final List<HttpServer> nodes = new ArrayList<>();
    /** The ids of the requests in their order; empty for a request without one. */
    private final Queue<String> ids = new ConcurrentLinkedQueue<>();

    @AfterEach
    void stopNodes() {
        nodes.forEach(node -> node.stop(0));
    }

    private static String problem(int status, String name) {
        return status + " {\"name\":\"" + name + "\",\"detail\":\"" + name.toLowerCase(Locale.ROOT) + "\"}";
    }

    /** A client of nodes with these answers, each for all requests, or for one after the other. */
    private DhtClient client(String[]... answersOfNodes) throws IOException {
        List<URI> uris = new ArrayList<>();
        for (String[] answers : answersOfNodes) {
            Queue<String> left = new ConcurrentLinkedQueue<>(Arrays.asList(answers));
            HttpServer node = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            node.createContext("/", exchange -> answer(exchange, left.size() > 1 ? left.remove() : left.element()));
            node.start();
            nodes.add(node);
            uris.add(URI.create("http://127.0.0.1:" + node.getAddress().getPort()));
        }
        return new DhtClient(uris, Duration.ofSeconds(30));
    }

    private static String[] answers(String... answers) {
        return answers;
    }

    private void answer(HttpExchange exchange, String answer) throws IOException {
        ids.add(Stream.ofNullable(exchange.getRequestHeaders().getFirst("Idempotency-Key"))
                .findFirst()
                .orElse(""));
        exchange.getRequestBody().readAllBytes();
        if (!answer.isEmpty()) {
            int space = answer.indexOf(' ');
            byte[] body = answer.substring(space + 1).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Dht-Number", "5");
            exchange.sendResponseHeaders(Integer.parseInt(answer.substring(0, space)), body.length);
            exchange.getResponseBody().write(body);
        }
        exchange.close();
    }

    private static AtomicResult add(DhtClient client, Optional<RequestId> id) throws ClientException {
        return DhtClient.await(client.execute("m", Key.of("k"), AtomicChange.add(1), id));
    }

    private static ClientException failure(DhtClient client, Optional<RequestId> id) {
        return catchThrowableOfType(ClientException.class, () -> add(client, id));
    }

    @Test
    void nextNodeGetsTheSameId() throws Exception {
        DhtClient client = client(answers(NOTHING), answers("200 5"));
        assertThat(add(client, Optional.empty()).number()).hasValue(5);
        assertThat(ids).hasSize(2);
        assertThat(List.copyOf(ids)).allMatch(id -> id.equals(ids.element()));
        assertThat(RequestId.parse(ids.element()).millis()).isPositive();
    }

    @Test
    void missingAnswerLeavesTheOutcomeUnknown() throws Exception {
        ClientException failure = failure(client(answers(NOTHING)), Optional.empty());
        assertThat(failure.isOutcomeUnknown()).isTrue();
        assertThat(failure.requestId().map(RequestId::toString)).hasValue(ids.element());
        assertThat(failure(client(answers(NOTHING)), Optional.of(ID)).requestId())
                .hasValue(ID);
    }

    @Test
    void unreachableNodeHasDoneNothing() {
        DhtClient client = new DhtClient(List.of(URI.create("http://127.0.0.1:1")), Duration.ofSeconds(30));
        ClientException failure = failure(client, Optional.of(ID));
        assertThat(failure.isOutcomeUnknown()).isFalse();
        assertThat(failure).hasMessageContaining("nothing listens there");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NO_REPLY", "INTERNAL", "FROM_A_LATER_VERSION"})
    void answerThatDoesNotKnowLeavesTheOutcomeUnknown(String code) throws Exception {
        ClientException failure = failure(client(answers(problem(504, code))), Optional.of(ID));
        assertThat(failure.requestId()).hasValue(ID);
        String named = problem(504, code).replace("}", ",\"request_id\":\"" + OF_NODE + "\"}");
        assertThat(failure(client(answers(named)), Optional.of(ID)).requestId()).hasValue(OF_NODE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"400 BAD_REQUEST", "504 NOT_ENOUGH_REPLICAS", "503 OVERLOADED", "409 ATOMIC_KIND"})
    void refusalHasDoneNothing(String refusal) throws Exception {
        String[] words = refusal.split(" ");
        ClientException failure =
                failure(client(answers(problem(Integer.parseInt(words[0]), words[1]))), Optional.of(ID));
        assertThat(failure.isOutcomeUnknown()).isFalse();
        assertThat(failure.isOverload()).isEqualTo(words[1].equals("OVERLOADED"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"400 BAD_REQUEST", "504 NOT_ENOUGH_REPLICAS", "503 OVERLOADED"})
    void refusalOfTheNextNodeLeavesTheOutcomeUnknown(String refusal) throws Exception {
        String[] words = refusal.split(" ");
        DhtClient client = client(answers(NOTHING), answers(problem(Integer.parseInt(words[0]), words[1])));
        ClientException failure = failure(client, Optional.empty());
        assertThat(failure.requestId().map(RequestId::toString)).hasValue(ids.element());
        // It must not be sent again under another id.
        assertThat(failure.isOverload()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"COUNTER_OVERFLOW", "REQUEST_ID_REUSED"})
    void refusalOfTheKeyItselfIsFinal(String code) throws Exception {
        DhtClient client = client(answers(NOTHING), answers(problem(409, code)));
        assertThat(failure(client, Optional.empty()).isOutcomeUnknown()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"REQUEST_FORGOTTEN", "VERSION_TOO_FAR_AHEAD"})
    void nodeMakesTheIdWhereTheClockOfTheClientIsWrong(String code) throws Exception {
        DhtClient client = client(answers(problem(500, code), "200 5"));
        assertThat(add(client, Optional.empty()).number()).hasValue(5);
        assertThat(ids).hasSize(2).last().isEqualTo("");
    }

    @Test
    void operationWithoutAnIdIsSentToOneNodeOnly() throws Exception {
        DhtClient client = client(answers(problem(400, "VERSION_TOO_FAR_AHEAD"), NOTHING), answers("200 5"));
        ClientException failure = failure(client, Optional.empty());
        assertThat(failure.isOutcomeUnknown()).isTrue();
        assertThat(failure.requestId()).isEmpty();
        assertThat(ids).hasSize(2);
    }

    @Test
    void forgottenOperationIsNotExecutedUnderAnotherId() throws Exception {
        DhtClient client = client(answers(NOTHING), answers(problem(500, "REQUEST_FORGOTTEN"), "200 5"));
        ClientException failure = failure(client, Optional.empty());
        assertThat(failure).hasMessageContaining("it is not executed now: read the key, and decide");
        assertThat(failure.requestId()).isEmpty();
        assertThat(ids).hasSize(2);

        ClientException given = failure(client(answers(problem(500, "REQUEST_FORGOTTEN"), "200 5")), Optional.of(ID));
        assertThat(given).hasMessageContaining("REQUEST_FORGOTTEN");
    }

    @Test
    void readHasNoIdAndIsRepeated() throws Exception {
        DhtClient client = client(answers(NOTHING), answers("200 five"));
        AtomicResult read = DhtClient.await(client.execute("m", Key.of("k"), AtomicChange.read(), Optional.empty()));
        assertThat(read.current().orElseThrow().text()).isEqualTo("five");
        assertThat(List.copyOf(ids)).containsOnly("");
    }
}
