package io.dht4j.transport.http.internal.server;

import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.fixture.ApiNodes;
import io.dht4j.transport.http.fixture.PausedCluster;
import io.dht4j.transport.http.fixture.RawHttp;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** All places for public connections are taken, from two addresses: who gives way to a new one. */
@Timeout(60)
class HttpIdleConnectionsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Of which one is for probes. */
    private static final HttpApiOptions OPTIONS = HttpApiOptions.defaults()
            .withMaxConnections(8)
            .withMaxConnectionsPerAddress(4)
            .withBodyTimeout(Duration.ofMinutes(5));

    private static final String GET = "GET /v0/entity?id=k HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private static final String STATUS = "GET /v0/status HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private static ApiNodes nodes;

    private final List<RawHttp> most = new ArrayList<>();
    private final List<RawHttp> fewer = new ArrayList<>();
    private final List<RawHttp> others = new ArrayList<>();

    @BeforeAll
    static void startNode() throws IOException {
        try (ServerSocket bound = new ServerSocket(0, 1, address(3))) {
            assumeTrue(bound.isBound());
        } catch (IOException e) {
            assumeTrue(false, "this machine has one address of its own only");
        }
        nodes = ApiNodes.of(1, builder -> builder, OPTIONS);
    }

    @AfterAll
    static void stopNode() {
        if (nodes != null) {
            nodes.close();
        }
    }

    @AfterEach
    void closeAll() throws IOException {
        for (List<RawHttp> all : List.of(most, fewer, others)) {
            for (RawHttp each : all) {
                each.close();
            }
        }
    }

    private static InetAddress address(int last) throws UnknownHostException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
    }

    private static RawHttp connect(List<RawHttp> to, int port, int last) throws IOException {
        RawHttp raw = new RawHttp(port, address(last));
        to.add(raw);
        return raw;
    }

    /** Takes every place: four from one address, three from another, each with a request. */
    private void takeAllPlaces(int port, String request) throws IOException {
        for (int i = 0; i < 4; i++) {
            connect(most, port, 2).send(request);
            if (i < 3) {
                connect(fewer, port, 3).send(request);
            }
        }
    }

    private void readAll(int status) throws IOException {
        for (List<RawHttp> all : List.of(most, fewer)) {
            for (RawHttp each : all) {
                assertThat(each.read().status()).isEqualTo(status);
            }
        }
    }

    @Test
    void anIdleConnectionOfTheAddressThatHasMostGivesWay() throws Exception {
        try (HttpApi api = HttpApi.listening("127.0.0.1", 0, nodes.cluster(0), OPTIONS)) {
            takeAllPlaces(api.port(), GET);
            readAll(404);
            await().atMost(PATIENCE)
                    .until(() -> connect(others, api.port(), 1).send(GET).read().status() == 404);
            assertThat(others.get(others.size() - 1)).matches(HttpIdleConnectionsTest::isOpen);
            assertThat(fewer).allMatch(HttpIdleConnectionsTest::isOpen);
            assertThat(most.stream().filter(HttpIdleConnectionsTest::isOpen)).hasSize(3);
        }
    }

    /** Whether a connection still carries requests. */
    private static boolean isOpen(RawHttp connection) {
        try {
            return connection.send(GET).read().status() == 404;
        } catch (IOException | AssertionError e) {
            return false;
        }
    }

    @Test
    void aBusyConnectionDoesNotGiveWay() throws Exception {
        PausedCluster paused = new PausedCluster();
        Cluster cluster = paused.over(nodes.cluster(0));
        try (HttpApi api = HttpApi.listening("127.0.0.1", 0, cluster, OPTIONS)) {
            takeAllPlaces(api.port(), GET);
            await().atMost(PATIENCE).until(() -> paused.calls() == 7);
            await().atMost(PATIENCE).untilAsserted(() -> {
                RawHttp refused = connect(others, api.port(), 1);
                refused.send(STATUS);
                assertProblem(refused.read(), 503, ErrorCode.OVERLOADED);
            });
            paused.release();
            readAll(404);
            await().atMost(PATIENCE)
                    .until(() -> connect(others, api.port(), 1).send(GET).read().status() == 404);
        }
    }

    @Test
    void anAddressThatMayTakeNoPlaceKeepsNoOtherFromIt() throws Exception {
        PausedCluster paused = new PausedCluster();
        HttpApiOptions options = OPTIONS.withMaxConnectionsPerAddress(8);
        try (HttpApi api = HttpApi.listening("127.0.0.1", 0, paused.over(nodes.cluster(0)), options)) {
            for (int i = 0; i < 4; i++) {
                connect(most, api.port(), 2).send(GET);
            }
            await().atMost(PATIENCE).until(() -> paused.calls() == 4);
            for (int i = 0; i < 3; i++) {
                assertThat(connect(fewer, api.port(), 3).send(STATUS).read().status())
                        .isEqualTo(200);
            }
            for (int last = 4; last < 7; last++) {
                // Its own are busy, and the others have fewer.
                RawHttp refused = connect(others, api.port(), 2).send(STATUS);
                assertProblem(refused.read(), 503, ErrorCode.OVERLOADED);
                assertThat(connect(others, api.port(), last).send(STATUS).read().status())
                        .isEqualTo(200);
            }
            paused.release();
            for (RawHttp each : most) {
                assertThat(each.read().status()).isEqualTo(404);
            }
        }
    }

    @Test
    void twoBusyAddressesLeaveTheLastPlacesToOthers() throws Exception {
        PausedCluster paused = new PausedCluster();
        // 60 for public requests, of which the last three are for addresses that have none.
        HttpApiOptions options = OPTIONS.withMaxConnections(64).withMaxConnectionsPerAddress(32);
        try (HttpApi api = HttpApi.listening("127.0.0.1", 0, paused.over(nodes.cluster(0)), options)) {
            for (int i = 0; i < 30; i++) {
                connect(most, api.port(), 2).send(GET);
                connect(fewer, api.port(), 3).send(GET);
            }
            await().atMost(PATIENCE).until(() -> paused.calls() == 57);
            for (int last = 4; last < 7; last++) {
                assertThat(connect(others, api.port(), last).send(STATUS).read().status())
                        .isEqualTo(200);
            }
            assertThat(paused.calls()).isEqualTo(57);
            paused.release();
        }
    }

    @Test
    void aBodyThatDoesNotComeKeepsNoPlace() throws Exception {
        try (HttpApi api = HttpApi.listening("127.0.0.1", 0, nodes.cluster(0), OPTIONS)) {
            takeAllPlaces(api.port(), GET);
            readAll(404);
            for (List<RawHttp> all : List.of(most, fewer)) {
                for (RawHttp each : all) {
                    each.send("PUT /v0/entity?id=k2 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nhal");
                }
            }
            await().atMost(PATIENCE)
                    .until(() -> connect(others, api.port(), 1).send(GET).read().status() == 404);
        }
    }
}
