package io.dht4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.BucketProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RateLimitsTest {

    private static final BucketConfiguration TEN_A_DAY = BucketConfiguration.builder()
            .addLimit(limit -> limit.capacity(10).refillIntervally(10, Duration.ofDays(1)))
            .build();

    private final OneAgreedNode node = new OneAgreedNode();

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void allProcessesTogetherKeepTheLimit() throws Exception {
        List<BucketProxy> processes = Stream.of(1, 2, 3, 4)
                .map(any -> new RateLimits(node.cluster).builder().build("user", () -> TEN_A_DAY))
                .toList();
        ExecutorService threads = Executors.newFixedThreadPool(processes.size());
        int passed = 0;
        try {
            for (Future<Integer> each : threads.invokeAll(
                    processes.stream().map(RateLimitsTest::sixCalls).toList())) {
                passed += each.get();
            }
        } finally {
            threads.shutdown();
        }
        assertThat(passed).isEqualTo(10);
        new RateLimits(node.cluster).removeProxy("user");
        assertThat(processes.get(0).tryConsume(10)).isTrue();
    }

    private static Callable<Integer> sixCalls(BucketProxy bucket) {
        return () -> (int) Stream.generate(() -> bucket.tryConsume(1))
                .limit(6)
                .filter(passes -> passes)
                .count();
    }
}
