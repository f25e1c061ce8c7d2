package io.dht4j.benchmarks.product;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.lab.internal.load.Operation;
import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.testkit.network.FreePorts;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MemberTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @ParameterizedTest
    @EnumSource(Product.class)
    void whatOneMemberAcknowledgedTheOtherReads(Product product) throws Exception {
        List<Integer> ports = FreePorts.find(2);
        try (Member first = Member.start(new MemberSpec(product, 0, ports, 2, 1, 100, ""));
                Member second = Member.start(new MemberSpec(product, 1, ports, 2, 1, 100, ""))) {
            await().atMost(PATIENCE).until(() -> first.clusterSize() == 2 && second.clusterSize() == 2);
            assertThat(first.settings()).isNotEmpty();

            assertThat(outcome(first, Operation.PUT, 1)).isEqualTo(Outcome.DONE);

            assertThat(outcome(second, Operation.GET, 1)).isEqualTo(Outcome.DONE);
            assertThat(outcome(second, Operation.GET, 2)).isEqualTo(Outcome.ABSENT);
        }
    }

    private static Outcome outcome(Member member, Operation operation, long key) throws Exception {
        return member.start(operation, key).toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
}
