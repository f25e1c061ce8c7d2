package io.dht4j.simulator.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Codec;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.NodeId;
import io.dht4j.ScanScope;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.simulator.contract.DirectRemoteApi;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A caller that joins the stage of a call that fails finds its own line in the stack trace. */
class CallerTraceTest {

    private static final Key KEY = Key.of("a");
    private static final byte[] VALUE = {1};
    private static final CallOptions SHORT = CallOptions.defaults().withTimeout(Duration.ofSeconds(1));

    private final FormedCluster cluster = new FormedCluster(1).form(3);

    /** Calls that fail, since there is no majority or the request is wrong. */
    enum Call {
        GET(at -> at.get(KEY, SHORT.withPolicy(3, 3))),
        PUT(at -> at.put(KEY, VALUE, SHORT.withPolicy(3, 3))),
        DELETE(at -> at.delete(KEY, SHORT.withPolicy(3, 3))),
        GET_ALL(at -> at.getAll(List.of(KEY), SHORT.withPolicy(3, 3))),
        PUT_ALL(at -> at.putAll(Map.of(KEY, VALUE), SHORT.withPolicy(3, 3))),
        SCAN(at -> at.scan(KeyRange.all(), ScanScope.CLUSTER, SHORT.withPolicy(3, 3))
                .next()),
        SNAPSHOT(at -> at.openSnapshot(Duration.ofMinutes(1), SHORT.withPolicy(3, 3))),
        ATOMIC_GET(
                at -> at.atomicMap("m", Codec.text(), Codec.text()).with(SHORT).get("a")),
        ATOMIC_COMPUTE(at ->
                at.atomicMap("m", Codec.text(), Codec.text()).with(SHORT).compute("a", before -> Optional.of("b"))),
        COUNT(at -> at.atomicCounter("m", KEY).with(SHORT).add(1)),
        LOCK(at -> at.lock("m", KEY).tryLock(Duration.ofSeconds(1), Duration.ofSeconds(1))),
        ADD_NODE(at -> at.membership().add(new NodeId("n1")));

        private final Function<Cluster, CompletionStage<?>> begin;

        Call(Function<Cluster, CompletionStage<?>> begin) {
            this.begin = begin;
        }
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @ParameterizedTest
    @EnumSource
    void aNodeFailsWithTheCallersLine(Call call) {
        assertShowsCaller(call, cluster.cluster(0));
    }

    @ParameterizedTest
    @EnumSource
    void aRemoteClientFailsWithTheCallersLine(Call call) {
        try (Cluster remote = cluster.env.await(
                RemoteCluster.connecting(
                        new DirectRemoteApi(Map.of("a:1", cluster.cluster(0)), cluster.env),
                        List.of("a:1"),
                        RemoteOptions.defaults(),
                        cluster.env),
                FormedCluster.BOUND)) {
            assertShowsCaller(call, remote);
        }
    }

    private void assertShowsCaller(Call call, Cluster at) {
        cluster.crash(1);
        cluster.crash(2);
        CompletionStage<?> stage = call.begin.apply(at);
        cluster.env.advance(Duration.ofMinutes(2));
        // The test's thread runs all timers, so the name of the class alone would prove nothing.
        assertThat(catchThrowable(() -> join(stage)).getStackTrace())
                .extracting(StackTraceElement::getMethodName)
                .contains("join", "assertShowsCaller")
                .doesNotContain("advance");
    }

    private static void join(CompletionStage<?> stage) {
        stage.toCompletableFuture().join();
    }
}
