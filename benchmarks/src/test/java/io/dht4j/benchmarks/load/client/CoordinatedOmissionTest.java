package io.dht4j.benchmarks.load.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.lab.internal.load.LoadClient;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.lab.internal.load.open.OpenLoad;
import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Uses a server over a real socket that counts its requests. */
@Tag("full")
class CoordinatedOmissionTest {

    private static final int STALL_MILLIS = 1000;
    private static final double PER_SECOND = 500;
    private static final double WARM_UP = 0.4;
    private static final double SECONDS = 2;

    /** Enough in flight that none waits for room. */
    private static final int ALL = (int) (PER_SECOND * (WARM_UP + SECONDS));

    @Test
    void latencyOfAStallCountsFromTheIntendedStart() throws Exception {
        try (StallingServer server = new StallingServer(400, STALL_MILLIS);
                LoadClient client = LoadClients.open(
                        ClientSpec.http(List.of(server.address())).withConnections(10, 1))) {
            LoadResult result = patient(client).run(load(ALL));

            assertThat(result.served()).isEqualTo(result.offered());
            assertThat(result.conditions().latencyDoubts())
                    .as("of hundreds of operations in the stall ten have a connection")
                    .anyMatch(doubt -> doubt.contains("for a free connection"));
            assertThat(result.conditions().rateDoubts()).noneMatch(doubt -> doubt.contains("for a free connection"));
            Histogram latency = result.latency().decode();
            // The first held request arrived after its intended time, and was held to the end.
            assertThat(latency.getMaxValue()).isGreaterThan(millis(STALL_MILLIS) * 99 / 100);
            // Operations intended for the first half of the stall wait for the second half at least.
            double inHalfTheStall = PER_SECOND * STALL_MILLIS / 2 / 1000;
            assertThat(latency.getCountBetweenValues(millis(STALL_MILLIS) / 2, latency.getMaxValue()))
                    .isGreaterThanOrEqualTo((long) (0.95 * inHalfTheStall));
            assertThat(latency.getValueAtPercentile(80)).isGreaterThan(millis(STALL_MILLIS) / 3);
        }
    }

    @Test
    void aServerThatAnswersAtOnceCountsAsManyAsTheLoad() throws Exception {
        try (StallingServer server = new StallingServer(0, 0);
                LoadClient client = LoadClients.open(ClientSpec.http(List.of(server.address())))) {
            LoadResult result = patient(client).run(load(ALL));

            assertThat(result.offered()).isEqualTo((long) (PER_SECOND * SECONDS));
            assertThat(result.errors()).isEmpty();
            assertThat(result.served()).isEqualTo(result.offered());
            assertThat(server.requests()).isEqualTo((long) (PER_SECOND * WARM_UP) + result.served());
            assertThat(result.latency().decode().getTotalCount()).isEqualTo(result.served());
            assertThat(result.servedPerSecond()).isEqualTo(result.served() / result.tookSeconds());
            assertThat(result.tookSeconds()).isGreaterThanOrEqualTo(SECONDS);
        }
    }

    @Test
    void operationsWithoutRoomInAStallAreNotSent() throws Exception {
        try (StallingServer server = new StallingServer(200, STALL_MILLIS);
                LoadClient client = LoadClients.open(ClientSpec.http(List.of(server.address())))) {
            // The server's count plus those omitted by this process's own pauses is complete.
            LoadResult result = patient(client).run(load(0, 50));

            // Of those intended for the stall, 50 had room.
            assertThat(result.notSent()).isGreaterThan((long) (0.5 * PER_SECOND * STALL_MILLIS / 1000) - 50);
            assertThat(result.served() + result.notSent()).isEqualTo(result.offered());
            assertThat(server.requests()).isEqualTo(result.served());
            assertThat(result.servedShare()).isLessThan(0.8);
        }
    }

    @Test
    void operationsAtASilentServerFailByTimeout() throws Exception {
        try (StallingServer server = new StallingServer(1, 600_000);
                LoadClient client = LoadClients.open(ClientSpec.http(List.of(server.address()))
                        .withConnections(10, 1)
                        .withTimeoutMillis(100))) {
            LoadResult result = patient(client).run(load(ALL));

            assertThat(result.served()).isZero();
            assertThat(result.failed() + result.notSent()).isEqualTo(result.offered());
            assertThat(result.errors()).containsOnlyKeys("timeout");
            assertThat(result.latency().decode().getTotalCount()).isZero();
        }
    }

    /** Omits no operation after a pause of this process. */
    private static OpenLoad patient(LoadClient client) {
        return OpenLoad.on(client).givingUpAfter(Duration.ofMinutes(1));
    }

    private static LoadSpec load(int maxInFlight) {
        return load(WARM_UP, maxInFlight);
    }

    private static LoadSpec load(double warmUp, int maxInFlight) {
        return new LoadSpec(Operation.GET, PER_SECOND, warmUp, SECONDS, 100, maxInFlight, 2, 1);
    }

    private static long millis(long count) {
        return count * 1_000_000;
    }
}
