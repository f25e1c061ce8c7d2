package io.dht4j.benchmarks.product;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.testkit.network.FreePorts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("full")
class MemberTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @ParameterizedTest
    @EnumSource(Product.class)
    void whatOneMemberAcknowledgedTheOtherReads(Product product, @TempDir Path directory) throws Exception {
        assumeTrue(product != Product.ETCD || Product.isEtcdFound(), "etcd is not installed");
        List<Integer> ports = FreePorts.find(2);
        try (Member first = Member.start(spec(product, 0, ports, directory));
                Member second = Member.start(spec(product, 1, ports, directory))) {
            await().atMost(PATIENCE).until(() -> first.clusterSize() == 2 && second.clusterSize() == 2);
            assertThat(first.settings()).isNotEmpty();

            assertThat(outcome(first.put(1, 100))).isEqualTo(Outcome.DONE);

            assertThat(outcome(second.get(1))).isEqualTo(Outcome.DONE);
            assertThat(outcome(second.get(2))).isEqualTo(Outcome.ABSENT);
        }
    }

    private static MemberSpec spec(Product product, int index, List<Integer> ports, Path directory) {
        MemberSpec spec = MemberSpec.of(product, index, ports, 2, 1, 100);
        return product.isDurable()
                ? spec.durableIn(directory.resolve("member-" + index).toString())
                : spec;
    }

    private static Outcome outcome(CompletionStage<Outcome> operation) throws Exception {
        return operation.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
}
