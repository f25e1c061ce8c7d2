package io.dht4j.transport.http.internal.api;

import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.transport.common.FloodCount;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.fixture.ApiNodes;
import io.dht4j.transport.http.fixture.RawHttp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whoever may not send requests has to connect again and again for it. */
@Timeout(60)
class HttpApiRefusedRequestsTest {

    private static final String STATUS = "GET /v0/status HTTP/1.1\r\nHost: localhost\r\n";
    private static final String KNOWN = STATUS + "Authorization: Bearer admin-admin-admin-admin\r\n\r\n";

    /** So many are sent before an answer is read. */
    private static final int AT_A_TIME = 50;

    @TempDir
    private static Path directory;

    private static ApiNodes nodes;

    @BeforeAll
    static void startNode() throws IOException {
        Path tokens = Files.writeString(directory.resolve("tokens"), "admin admin-admin-admin-admin\n");
        nodes = ApiNodes.of(1, builder -> builder, HttpApiOptions.defaults().withTokens(tokens));
    }

    @AfterAll
    static void stopNode() {
        nodes.close();
    }

    /** Sends requests that are refused, and gives the answer to the last one. */
    private static RawHttp.Answer inVain(RawHttp connection, int times) throws IOException {
        RawHttp.Answer last = null;
        for (int done = 0; done < times; done += AT_A_TIME) {
            int count = Math.min(AT_A_TIME, times - done);
            connection.send((STATUS + "\r\n").repeat(count));
            for (int i = 0; i < count; i++) {
                assertThat(last == null ? null : last.headers().get("Connection"))
                        .isNotEqualTo("close");
                last = connection.read();
                assertProblem(last, 401, ErrorCode.UNAUTHENTICATED);
            }
        }
        return last;
    }

    @Test
    void whoeverIsRefusedAgainAndAgainLosesTheConnection() throws IOException {
        try (RawHttp stranger = new RawHttp(nodes.port(0))) {
            RawHttp.Answer last = inVain(stranger, FloodCount.MAX_REFUSED);
            assertThat(last.headers()).containsEntry("Connection", "close");
            assertThat(stranger.isClosedByServer()).isTrue();
        }
    }

    @Test
    void aRequestThatIsCarriedOutBreaksTheRow() throws IOException {
        try (RawHttp shared = new RawHttp(nodes.port(0))) {
            for (int i = 0; i < 2; i++) {
                inVain(shared, FloodCount.MAX_REFUSED - 1);
                assertThat(shared.send(KNOWN).read().status()).isEqualTo(200);
            }
        }
    }
}
