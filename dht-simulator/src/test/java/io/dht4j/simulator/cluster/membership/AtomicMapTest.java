package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.FormedCluster.BOUND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicCounter;
import io.dht4j.AtomicMap;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Codec;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.IndeterminateException;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.NodeId;
import io.dht4j.OverloadedException;
import io.dht4j.RequestId;
import io.dht4j.UnavailableException;
import io.dht4j.Version;
import io.dht4j.Versioned;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.core.internal.atomic.AtomicSpace;
import io.dht4j.core.internal.coordinator.node.NodeCluster;
import io.dht4j.simulator.contract.DirectRemoteApi;
import io.dht4j.testkit.network.Fault;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Atomic maps and counters as applications use them: at a node, and through a remote cluster. */
class AtomicMapTest {

    private final FormedCluster cluster = new FormedCluster(1);
    private boolean rivalEnds;
    private final List<Cluster> remotes = new ArrayList<>();

    /** Where an application calls. */
    enum At {
        NODE,
        REMOTE
    }

    @AfterEach
    void close() {
        remotes.forEach(Cluster::close);
        cluster.close();
    }

    private Cluster cluster(At at) {
        cluster.form(3);
        if (at == At.NODE) {
            return cluster.cluster(0);
        }
        return remote("a:1", "b:1", "c:1");
    }

    private Cluster remote(String... addresses) {
        Map<String, Cluster> listening =
                Map.of("a:1", cluster.cluster(0), "b:1", cluster.cluster(1), "c:1", cluster.cluster(2));
        Cluster remote = await(RemoteCluster.connecting(
                new DirectRemoteApi(listening, cluster.env),
                List.of(addresses),
                RemoteOptions.defaults().withTimeout(Duration.ofSeconds(1)),
                cluster.env));
        remotes.add(remote);
        return remote;
    }

    private static AtomicMap<String, String> map(Cluster cluster) {
        return cluster.atomicMap("orders", Codec.text(), Codec.text());
    }

    private <T> T await(CompletionStage<T> stage) {
        return cluster.env.await(stage, BOUND);
    }

    private DhtException failure(CompletionStage<?> stage) {
        try {
            throw new AssertionError("the call has succeeded with " + await(stage));
        } catch (RuntimeException e) {
            return (DhtException) DhtException.unwrap(e);
        }
    }

    @Test
    void aNameThatDoesNotFitIsRefusedAtOnce() {
        cluster.form(1);
        Cluster node = cluster.cluster(0);
        for (String name : List.of("", "a".repeat(256), "\ud800")) {
            assertThatThrownBy(() -> node.atomicMap(name, Codec.text(), Codec.text()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("the name of a map ");
            assertThatThrownBy(() -> node.atomicCounter(name, Key.of("k")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("the name of a map ");
        }
    }

    /** A codec of an application that returns null. */
    private static final class NullCodec implements Codec<String> {

        private final boolean encodes;

        NullCodec(boolean encodes) {
            this.encodes = encodes;
        }

        @Override
        @SuppressWarnings("NullAway")
        public byte[] encode(String value) {
            return encodes ? value.getBytes(StandardCharsets.UTF_8) : null;
        }

        @Override
        @SuppressWarnings("NullAway")
        public String decode(byte[] bytes) {
            return null;
        }

        @Override
        public String name() {
            return "broken";
        }
    }

    @Test
    void aCodecThatReturnsNullIsNamed() {
        cluster.form(3);
        Cluster node = cluster.cluster(0);
        assertThat(failure(
                        node.atomicMap("m", Codec.text(), new NullCodec(false)).put("k", "v")))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("codec broken has returned null");
        AtomicMap<String, String> written = node.atomicMap("m", Codec.text(), new NullCodec(true));
        await(written.put("k", "v"));
        assertThat(failure(written.get("k")))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("codec broken has returned null");
    }

    @ParameterizedTest
    @EnumSource
    void aValueIsSetReplacedAndRemoved(At at) {
        AtomicMap<String, String> map = map(cluster(at));
        assertThat(await(map.get("k"))).isEmpty();
        Version first = await(map.put("k", "one"));
        assertThat(await(map.get("k"))).contains(new Versioned<>("one", first, Optional.empty()));

        AtomicMap.Put<String> refused = await(map.putIfAbsent("k", "two"));
        assertThat(refused.isDone()).isFalse();
        assertThat(refused.current().map(Versioned::value)).contains("one");
        AtomicMap.Put<String> replaced = await(map.replace("k", first, "two"));
        assertThat(replaced.isDone()).isTrue();
        assertThat(await(map.remove("k", first))).isFalse();
        assertThat(await(map.remove("k", replaced.version()))).isTrue();
        assertThat(await(map.putIfAbsent("k", "three")).isDone()).isTrue();
        await(map.remove("k"));
        assertThat(await(map.get("k"))).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void onlyOneOfManyClaimsAKey(At at) {
        AtomicMap<String, String> map = map(cluster(at));
        List<CompletionStage<AtomicMap.Put<String>>> claims = IntStream.range(0, 20)
                .mapToObj(i -> map.putIfAbsent("k", "caller " + i))
                .toList();
        List<AtomicMap.Put<String>> ends = claims.stream().map(this::await).toList();
        assertThat(ends.stream().filter(AtomicMap.Put::isDone)).hasSize(1);
        assertThat(ends.stream().flatMap(end -> end.current().stream()).map(Versioned::value))
                .hasSize(19)
                .containsOnly(await(map.get("k")).orElseThrow().value());
    }

    @ParameterizedTest
    @EnumSource
    void valuesExpireAndAreTouched(At at) {
        AtomicMap<String, String> map = map(cluster(at));
        CallOptions minute = CallOptions.defaults().withTimeToLive(Duration.ofMinutes(1));
        await(map.with(minute).put("k", "one"));
        await(map.with(minute).put("other", "one"));
        assertThat(await(map.get("k")).orElseThrow().expiresAt()).isPresent();
        cluster.env.advance(Duration.ofSeconds(50));
        assertThat(await(map.touch("k", Duration.ofMinutes(1)))).isTrue();
        cluster.env.advance(Duration.ofSeconds(50));
        assertThat(await(map.get("k")).map(Versioned::value)).contains("one");
        assertThat(await(map.get("other"))).isEmpty();
        assertThat(await(map.touch("other", Duration.ofMinutes(1)))).isFalse();
        assertThat(await(map.putIfAbsent("other", "two")).isDone()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void computationsOfOneKeyLoseNothing(At at) {
        AtomicMap<String, String> map = map(cluster(at));
        List<CompletionStage<Optional<String>>> computations = IntStream.range(0, 8)
                .mapToObj(i -> map.compute("k", before -> Optional.of(before.orElse("") + "x")))
                .toList();
        computations.forEach(this::await);
        assertThat(await(map.get("k")).map(Versioned::value)).contains("xxxxxxxx");
        assertThat(await(map.compute("k", before -> Optional.empty()))).isEmpty();
        assertThat(await(map.get("k"))).isEmpty();
        assertThat(await(map.compute("absent", before -> before))).isEmpty();
    }

    private void putAgain(AtomicMap<String, String> rival) {
        rival.put("k", "rival").whenComplete((version, error) -> {
            if (!rivalEnds) {
                cluster.env.schedule(() -> putAgain(rival), Duration.ofMillis(2).toNanos());
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void aComputationThatIsAlwaysTooLateEnds(At at) {
        AtomicMap<String, String> map = map(cluster(at));
        AtomicMap<String, String> rival = map(cluster.cluster(1));
        cluster.nodes.get(0).link.towardAll(Fault.delay(Duration.ofMillis(20), Duration.ZERO));
        await(rival.put("k", "rival"));
        putAgain(rival);
        int[] computations = new int[1];
        CompletionStage<Optional<String>> computed = map.with(
                        CallOptions.defaults().withTimeout(Duration.ofSeconds(1)))
                .compute("k", before -> {
                    computations[0]++;
                    return Optional.of("mine");
                });
        assertThat(failure(computed)).isInstanceOf(OverloadedException.class).hasMessageContaining("nothing done");
        assertThat(computations[0]).isEqualTo(100);
        rivalEnds = true;
        IllegalStateException thrown = new IllegalStateException("of the function");
        CompletionStage<Optional<String>> failing = map.compute("k", before -> {
            throw thrown;
        });
        assertThatThrownBy(() -> await(failing)).isSameAs(thrown);
    }

    @ParameterizedTest
    @EnumSource
    void aCounterCounts(At at) {
        Cluster any = cluster(at);
        AtomicCounter counter = any.atomicCounter("orders", Key.of("count"));
        assertThat(await(counter.get())).isZero();
        assertThat(await(counter.add(5))).isEqualTo(5);
        assertThat(await(counter.compareAndSet(4, 0))).isFalse();
        assertThat(await(counter.compareAndSet(5, Long.MAX_VALUE))).isTrue();
        assertThat(failure(counter.add(1)).code()).isEqualTo(ErrorCode.COUNTER_OVERFLOW);
        AtomicMap<String, String> map = map(any);
        assertThat(await(map.get("count")).map(Versioned::value)).contains(Long.toString(Long.MAX_VALUE));
        assertThat(failure(map.put("count", "text")).code()).isEqualTo(ErrorCode.ATOMIC_KIND);
        await(map.remove("count"));
        await(map.put("count", "text"));
        assertThat(failure(counter.get()).code()).isEqualTo(ErrorCode.ATOMIC_KIND);
        assertThat(failure(counter.add(1)).code()).isEqualTo(ErrorCode.ATOMIC_KIND);
    }

    @ParameterizedTest
    @EnumSource
    void aRepeatedOperationIsExecutedOnce(At at) {
        AtomicCounter counter = cluster(at).atomicCounter("orders", Key.of("count"));
        RequestId id = RequestId.of(cluster.env.currentTimeMillis(), 1, 1);
        AtomicCounter repeated = counter.with(CallOptions.defaults().withRequestId(id));
        assertThat(await(repeated.add(3))).isEqualTo(3);
        await(counter.add(10));
        assertThat(await(repeated.add(3))).isEqualTo(3);
        assertThat(await(counter.get())).isEqualTo(13);
        assertThat(failure(repeated.add(4)).code()).isEqualTo(ErrorCode.REQUEST_ID_REUSED);
    }

    @ParameterizedTest
    @EnumSource
    void aForgottenOperationIsNotExecuted(At at) {
        AtomicCounter counter = cluster(at).atomicCounter("orders", Key.of("count"));
        RequestId id = RequestId.of(cluster.env.currentTimeMillis(), 1, 1);
        cluster.env.advance(Duration.ofSeconds(1));
        for (int i = 0; i < 20; i++) {
            await(counter.add(1));
        }
        cluster.env.advance(Duration.ofMinutes(1));
        for (int i = 0; i < 20; i++) {
            await(counter.add(1));
        }
        DhtException failure =
                failure(counter.with(CallOptions.defaults().withRequestId(id)).add(100));
        assertThat(failure.code()).isEqualTo(ErrorCode.REQUEST_FORGOTTEN);
        assertThat(failure).hasMessageContaining("key count of map orders");
        assertThat(((IndeterminateException) failure).requestId()).contains(id);
        assertThat(await(counter.get())).isEqualTo(40);
    }

    @ParameterizedTest
    @EnumSource
    void anUnknownOutcomeIsResolvedByItsId(At at) {
        Cluster any = cluster(at);
        AtomicCounter counter = any.atomicCounter("orders", Key.of("count"));
        await(counter.add(1));
        // The answers of the replicas are lost.
        cluster.nodes.values().forEach(node -> node.link.towardAll(Fault.loseReply()));
        DhtException failure = failure(counter.add(10));
        assertThat(failure).isInstanceOf(IndeterminateException.class);
        RequestId id = ((IndeterminateException) failure).requestId().orElseThrow();
        cluster.nodes.values().forEach(node -> node.link.heal());
        assertThat(await(counter.with(CallOptions.defaults().withRequestId(id)).add(10)))
                .isEqualTo(11);
        assertThat(await(counter.get())).isEqualTo(11);
    }

    /** What is unknown must not be begun anew, also when the key has forgotten it meanwhile. */
    @Test
    void anUnknownAdditionThatIsForgottenIsNotMadeTwice() {
        cluster.form(3);
        Cluster any = remote("a:1");
        Key key = keyOfAnotherProposer(any);
        AtomicCounter counter = any.atomicCounter("orders", key);
        await(counter.add(1));
        // The node that is asked loses the reply of the proposer.
        cluster.nodes.get(0).link.towardAll(Fault.loseReply());
        CompletionStage<Long> added = counter.add(1 << 20);
        cluster.env.advance(Duration.ofMillis(100));
        cluster.nodes.get(0).link.heal();
        AtomicCounter busy = cluster.cluster(1).atomicCounter("orders", key);
        for (int i = 0; i < 1_100; i++) {
            await(busy.add(1));
        }
        assertThat(failure(added).code()).isEqualTo(ErrorCode.NO_REPLY);
        assertThat(await(counter.get())).isEqualTo((1 << 20) + 1_101);
    }

    /** Returns a key whose operations node n0 does not propose itself. */
    private Key keyOfAnotherProposer(Cluster any) {
        return IntStream.range(0, 100)
                .mapToObj(i -> Key.of("count" + i))
                .filter(key -> !await(any.locate(AtomicSpace.key("orders", key)))
                        .replicas()
                        .get(0)
                        .id()
                        .equals(new NodeId("n0")))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aSilentMajorityIsNotUnknown() {
        AtomicMap<String, String> map = map(cluster(At.NODE));
        await(map.put("k", "one"));
        cluster.nodes.get(0).link.towardAll(Fault.loseRequest());
        assertThat(failure(map.get("k"))).isInstanceOf(UnavailableException.class);
        cluster.nodes.values().forEach(node -> node.link.towardAll(Fault.loseRequest()));
        CallOptions repeated =
                CallOptions.defaults().withRequestId(RequestId.of(cluster.env.currentTimeMillis(), 1, 1));
        DhtException unknown = failure(map.with(repeated).put("k", "two"));
        assertThat(unknown).isInstanceOf(IndeterminateException.class);
        assertThat(((IndeterminateException) unknown).requestId()).isEqualTo(repeated.requestId());
    }

    @Test
    void aMinorityDoesNothing() {
        AtomicMap<String, String> map = map(cluster(At.NODE));
        await(map.put("k", "one"));
        cluster.crash(1);
        cluster.crash(2);
        assertNamesAll(map.get("k"));
        assertNamesAll(map.put("k", "two"));
        assertNamesAll(map.putIfAbsent("other", "two"));
    }

    private void assertNamesAll(CompletionStage<?> call) {
        assertThat(failure(call))
                .isInstanceOf(UnavailableException.class)
                // The node itself is asked last.
                .hasMessageMatching("nothing done: [01] of 2 needed replicas answered; .+")
                .hasMessageContaining("n1: ")
                .hasMessageContaining("n2: ");
    }

    @Test
    void aNodeThatClosesRepeatsNothingThatLacksAMajority() {
        AtomicMap<String, String> map = map(cluster(At.NODE));
        await(map.put("k", "one"));
        cluster.crash(1);
        cluster.crash(2);
        ((NodeCluster) cluster.cluster(0)).registers().close();
        long begun = cluster.env.nanoTime();
        assertNamesAll(map.with(CallOptions.defaults().withTimeout(Duration.ofSeconds(30)))
                .put("k", "two"));
        assertThat(Duration.ofNanos(cluster.env.nanoTime() - begun)).isLessThan(Duration.ofSeconds(3));
    }

    @ParameterizedTest
    @EnumSource
    void badInputIsNamed(At at) {
        Cluster any = cluster(at);
        AtomicMap<String, String> map = map(any);
        assertThat(failure(map.get(""))).hasMessageContaining("a key has 1 to 4096 bytes");
        assertThat(failure(map.get("k".repeat(4090)))).hasMessageContaining("a key of map orders has at most");
        assertThat(failure(map.put("k", "\ud800"))).hasMessageContaining("unpaired surrogate");
        assertThat(failure(map.put("k", "x".repeat(AtomicChange.MAX_VALUE_BYTES + 1)))
                        .code())
                .isEqualTo(ErrorCode.VALUE_TOO_LARGE);
        assertThat(failure(map.with(CallOptions.defaults().withPolicy(1, 1)).get("k"))
                        .code())
                .isEqualTo(ErrorCode.POLICY_INVALID);
        CallOptions identified = CallOptions.defaults().withRequestId(RequestId.next());
        assertThat(failure(map.with(identified).compute("k", before -> before)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("takes no request id");
        assertThat(failure(any.put(Key.of("k"), new byte[1], identified)))
                .hasMessageContaining("a request id is for operations on atomic keys only");
        await(any.atomicMap("orders", Codec.text(), Codec.bytes()).put("binary", new byte[] {(byte) 0xff}));
        assertThat(failure(map.get("binary")))
                .hasMessageContaining("a value of map orders cannot be read by codec text: the bytes are not UTF-8");
    }
}
