package io.dht4j.transport.http.internal.server;

import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import io.dht4j.transport.http.fixture.ApiNodes;
import io.dht4j.transport.http.fixture.RawHttp;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every error that a port of peers and the public API answers is a problem document with a number. */
@Timeout(60)
class HttpProblemsTest {

    private static final String PEERS = "/peer/v1/frame";
    private static final String HOST = " HTTP/1.1\r\nHost: localhost\r\n";

    private static ApiNodes nodes;

    @BeforeAll
    static void startNode() {
        nodes = ApiNodes.of(1, builder -> builder, HttpApiOptions.defaults());
    }

    @AfterAll
    static void stopNode() {
        nodes.close();
    }

    private static Arguments refused(int status, ErrorCode code, String request) {
        return Arguments.of(status, code, request.substring(0, Math.min(request.length(), 100)), request);
    }

    private static String peers(String headers) {
        return "POST " + PEERS + HOST + headers + "\r\n";
    }

    static Stream<Arguments> refusedRequests() {
        String tooLong = "a".repeat(33_000);
        return Stream.of(
                // The public API.
                refused(400, ErrorCode.UNKNOWN_RESOURCE, "GET /v0" + HOST + "\r\n"),
                refused(400, ErrorCode.UNKNOWN_RESOURCE, "GET /favicon.ico" + HOST + "\r\n"),
                refused(405, ErrorCode.METHOD_NOT_ALLOWED, "PATCH /v0/entity?id=k" + HOST + "\r\n"),
                refused(405, ErrorCode.METHOD_NOT_ALLOWED, "TRACE /v0/status" + HOST + "\r\n"),
                refused(405, ErrorCode.METHOD_NOT_ALLOWED, "DELETE /livez" + HOST + "\r\n"),
                refused(405, ErrorCode.METHOD_NOT_ALLOWED, "DELETE /readyz" + HOST + "\r\n"),
                refused(405, ErrorCode.METHOD_NOT_ALLOWED, "DELETE /console" + HOST + "\r\n"),
                refused(400, ErrorCode.KEY_INVALID, "GET /v0/entity?id=%ff%zz" + HOST + "\r\n"),
                // What does not reach it.
                refused(400, ErrorCode.BAD_REQUEST, "nonsense\r\n\r\n"),
                refused(400, ErrorCode.BAD_REQUEST, "GET /v0/entity?id=" + tooLong + HOST + "\r\n"),
                refused(400, ErrorCode.BAD_REQUEST, "GET /v0/entity?id=k" + HOST + "Long: " + tooLong + "\r\n\r\n"),
                refused(400, ErrorCode.BAD_REQUEST, "GET /v0/status HTTP/1.1\r\n\r\n"),
                refused(505, ErrorCode.BAD_REQUEST, "GET /v0/status HTTP/1.7\r\nHost: localhost\r\n\r\n"),
                refused(417, ErrorCode.BAD_REQUEST, "GET /v0/status" + HOST + "Expect: more\r\n\r\n"),
                refused(501, ErrorCode.BAD_REQUEST, "PUT /v0/entity?id=k" + HOST + "Transfer-Encoding: gzip\r\n\r\n"),
                refused(
                        400,
                        ErrorCode.BAD_REQUEST,
                        "PUT /v0/entity?id=k" + HOST + "Transfer-Encoding: chunked\r\n\r\nzz\r\n"),
                // The peers' path.
                refused(405, ErrorCode.METHOD_NOT_ALLOWED, "GET " + PEERS + HOST + "\r\n"),
                refused(411, ErrorCode.BAD_REQUEST, peers("Transfer-Encoding: chunked\r\n")),
                refused(400, ErrorCode.BAD_REQUEST, peers("Content-Length: 0\r\n")),
                refused(413, ErrorCode.BAD_REQUEST, peers("Content-Length: 2000000000\r\n")));
    }

    @ParameterizedTest(name = "{0} {1}: {2}")
    @MethodSource("refusedRequests")
    void refusalIsAProblem(int status, ErrorCode code, String shown, String request) throws IOException {
        try (RawHttp connection = new RawHttp(nodes.port(0))) {
            assertProblem(connection.send(request).read(), status, code);
        }
    }

    @Test
    void peerMaySendTheBodyOfARefusedRequest() throws IOException {
        int chunks = 32;
        byte[] chunk = new byte[1024 * 1024];
        try (RawHttp connection = new RawHttp(nodes.port(0))) {
            String length = "Content-Length: " + chunks * chunk.length + "\r\n";
            assertProblem(connection.send(peers(length)).read(), 413, ErrorCode.BAD_REQUEST);
            for (int i = 0; i < chunks; i++) {
                connection.send(chunk);
            }
            assertThat(connection.isClosedByServer()).isTrue();
        }
    }

    @Test
    void callThatNoPeerSendsIsAnsweredWithAProblemOrAFrame() throws IOException {
        try (RawHttp connection = new RawHttp(nodes.port(0))) {
            RawHttp.Answer answer = connection
                    .send(peers("Content-Length: 3\r\nDht-Deadline-Micros: 1000000\r\n") + "abc")
                    .read();
            if (answer.status() != 200) {
                assertProblem(answer, answer.status(), ErrorCode.INTERNAL);
            }
        }
    }

    @Test
    void portOfPeersAloneSaysSo() throws IOException {
        int port = FreePorts.find();
        Node self = Node.of("n1", "127.0.0.1:" + port);
        Cluster node = ClusterBuilder.of(self.id(), Topology.of(self))
                .transport(HttpTransport.create(HttpTransportOptions.at(self.host(), port)))
                .store(new ModelStore())
                .start();
        try (RawHttp connection = new RawHttp(port)) {
            RawHttp.Answer answer =
                    connection.send("GET /v0/entity?id=k" + HOST + "\r\n").read();
            assertProblem(answer, 503, ErrorCode.NOT_SERVING);
            assertThat(answer.text()).contains("this port serves other nodes only", "HttpApi.sharing");
        } finally {
            node.close();
        }
    }

    @Test
    void stoppedNodeAnswersWithProblems() throws IOException {
        try (ApiNodes stopping = ApiNodes.of(1, builder -> builder, HttpApiOptions.defaults())) {
            try (RawHttp connection = new RawHttp(stopping.port(0))) {
                stopping.api(0).close();

                RawHttp.Answer answer =
                        connection.send("GET /v0/entity?id=k" + HOST + "\r\n").read();

                assertProblem(answer, 503, ErrorCode.NOT_SERVING);
                assertThat(answer.headers()).containsKey("Retry-After");
            }
        }
    }
}
