package io.dht4j.simulator.remote;

import static io.dht4j.simulator.remote.ScriptedApi.failing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.ErrorCode.Action;
import io.dht4j.Key;
import io.dht4j.KeyPlacement;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Node;
import io.dht4j.ReplicationPolicy;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.UnavailableException;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.RemoteCluster;
import io.dht4j.core.RemoteOptions;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RemoteClusterTest {

    private static final List<String> ADDRESSES = List.of("a:1", "b:1", "c:1");
    private static final Key KEY = Key.of("key");
    private static final RemoteOptions OPTIONS = RemoteOptions.defaults().withTimeout(Duration.ofSeconds(4));
    private static final Duration BOUND = Duration.ofMinutes(1);

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1);
    private final ScriptedApi api = new ScriptedApi(env);
    private final RemoteCluster cluster = connect(OPTIONS);
    /** Starting with the one that is preferred. */
    private final List<String> order = orderFrom(api.askedOf("status").get(0));

    private RemoteCluster connect(RemoteOptions options) {
        return env.await(RemoteCluster.connecting(api, ADDRESSES, options, env), BOUND);
    }

    private static List<String> orderFrom(String first) {
        int index = ADDRESSES.indexOf(first);
        return List.of(first, ADDRESSES.get((index + 1) % 3), ADDRESSES.get((index + 2) % 3));
    }

    private <T> T await(CompletionStage<T> stage) {
        return env.await(stage, BOUND);
    }

    private DhtException failureOf(CompletionStage<?> stage) {
        try {
            throw new AssertionError("expected a failure, not " + env.await(stage, BOUND));
        } catch (DhtException e) {
            return e;
        }
    }

    /** Every method that reads, and every one that writes. */
    private static final Map<String, Function<RemoteCluster, CompletionStage<?>>> READS = reads();

    private static final Map<String, Function<RemoteCluster, CompletionStage<?>>> WRITES = writes();

    private static Map<String, Function<RemoteCluster, CompletionStage<?>>> reads() {
        Map<String, Function<RemoteCluster, CompletionStage<?>>> reads = new LinkedHashMap<>();
        reads.put("get", cluster -> cluster.get(KEY));
        reads.put("getAll", cluster -> cluster.getAll(List.of(KEY)));
        reads.put("scan", cluster -> cluster.scan(KeyRange.all()).next());
        reads.put("locate", cluster -> cluster.locate(KEY));
        reads.put("status", RemoteCluster::status);
        return reads;
    }

    private static Map<String, Function<RemoteCluster, CompletionStage<?>>> writes() {
        Map<String, Function<RemoteCluster, CompletionStage<?>>> writes = new LinkedHashMap<>();
        writes.put("put", cluster -> cluster.put(KEY, new byte[2]));
        writes.put("delete", cluster -> cluster.delete(KEY));
        writes.put("putAll", cluster -> cluster.putAll(Map.of(KEY, new byte[2])));
        return writes;
    }

    private List<String> tried(String method, Function<RemoteCluster, CompletionStage<?>> call, boolean ends) {
        // Later than any penalty of an earlier call.
        env.advance(Duration.ofSeconds(2));
        api.calls.clear();
        CompletionStage<?> stage = call.apply(cluster);
        if (ends) {
            await(stage);
        } else {
            failureOf(stage);
        }
        return api.askedOf(method);
    }

    @ParameterizedTest
    @EnumSource
    void readsMoveOnUnlessTheRequestIsWrongOrTheClusterOverloaded(ErrorCode code) {
        boolean movesOn = code.action() == Action.RETRY_ANYWHERE || code.action() == Action.REPEAT_ONLY_THIS;
        READS.forEach((method, call) -> {
            api.at(order.get(0), failing(code));
            api.healthy(order.get(1));
            List<String> tried = tried(method, call, movesOn);
            assertThat(tried).as(method).hasSizeBetween(1, 2);
            // Once it has moved on it stays there.
            assertThat(tried).as(method).endsWith(movesOn ? order.get(1) : order.get(0));
        });
    }

    @ParameterizedTest
    @EnumSource
    void writesMoveOnOnlyWhenNothingHasChanged(ErrorCode code) {
        boolean movesOn = code.action() == Action.RETRY_ANYWHERE;
        WRITES.forEach((method, call) -> {
            api.at(order.get(0), failing(code));
            List<String> tried = tried(method, call, movesOn);
            if (movesOn) {
                assertThat(tried).as(method).endsWith(order.get(1));
            } else {
                assertThat(tried).as(method).containsExactly(order.get(0));
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void anErrorThatAllNodesGiveComesWithItsCodeAndEachNodesWords(ErrorCode code) {
        ADDRESSES.forEach(address -> api.at(address, failing(code)));
        Map<String, Function<RemoteCluster, CompletionStage<?>>> calls = new LinkedHashMap<>(READS);
        calls.putAll(WRITES);
        calls.forEach((method, call) -> {
            env.advance(Duration.ofSeconds(2));
            api.calls.clear();
            DhtException failure = failureOf(call.apply(cluster));
            assertThat(failure.code()).as(method).isEqualTo(code);
            assertThat(failure).isInstanceOf(DhtException.of(code, "").getClass());
            List<String> tried = api.askedOf(method);
            assertThat(tried).doesNotHaveDuplicates();
            if (tried.size() > 1) {
                assertThat(tried).hasSize(3);
                tried.forEach(address -> assertThat(failure).hasMessageContaining(address + ": scripted " + code));
            } else {
                assertThat(failure).hasMessage("scripted " + code);
            }
        });
    }

    @Test
    void aNodeThatAnswersStaysPreferred() {
        for (int i = 0; i < 10; i++) {
            await(cluster.get(KEY));
            await(cluster.put(KEY, new byte[1]));
        }
        assertThat(new HashSet<>(api.askedOf("get"))).containsExactly(order.get(0));
        assertThat(new HashSet<>(api.askedOf("put"))).containsExactly(order.get(0));
    }

    @Test
    void clientsSpreadByChance() {
        Set<String> first = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            ScriptedApi own = new ScriptedApi(env);
            env.await(RemoteCluster.connecting(own, ADDRESSES, OPTIONS, env), BOUND);
            first.add(own.askedOf("status").get(0));
        }
        assertThat(first).containsExactlyInAnyOrderElementsOf(ADDRESSES);
    }

    @Test
    void aNodeThatFailedIsLeftAloneForASecondAndTriedAgainAfterwards() {
        api.at(order.get(0), failing(ErrorCode.NOT_SENT));
        await(cluster.get(KEY));
        await(cluster.get(KEY));
        assertThat(api.askedOf("get")).containsExactly(order.get(0), order.get(1), order.get(1));

        // While it is suspect it still comes last.
        api.healthy(order.get(0));
        api.at(order.get(1), failing(ErrorCode.NOT_SENT));
        api.at(order.get(2), failing(ErrorCode.NOT_SENT));
        api.calls.clear();
        await(cluster.get(KEY));
        assertThat(api.askedOf("get")).containsExactly(order.get(1), order.get(2), order.get(0));
        api.calls.clear();
        await(cluster.get(KEY));
        assertThat(api.askedOf("get")).containsExactly(order.get(0));

        env.advance(Duration.ofSeconds(2));
        api.at(order.get(0), failing(ErrorCode.NOT_SENT));
        api.healthy(order.get(1));
        api.calls.clear();
        await(cluster.get(KEY));
        assertThat(api.askedOf("get")).containsExactly(order.get(0), order.get(1));
    }

    @Test
    void aReadLeavesTimeToAskAnotherNode() {
        api.at(order.get(0), api.hanging());
        Duration before = env.elapsed();
        assertThat(await(cluster.get(KEY)).map(Value::text)).contains(order.get(1));
        assertThat(env.elapsed().minus(before)).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void allTriesShareOneDeadline() {
        ADDRESSES.forEach(address -> api.at(address, api.hanging()));
        api.calls.clear();
        Duration before = env.elapsed();
        DhtException failure = failureOf(cluster.get(KEY, CallOptions.defaults().withTimeout(Duration.ofMillis(1200))));
        assertThat(failure.code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(env.elapsed().minus(before)).isEqualTo(Duration.ofMillis(1200));
        assertThat(api.calls)
                .extracting(ScriptedApi.Call::timeout)
                .containsExactly(Duration.ofMillis(600), Duration.ofMillis(300), Duration.ofMillis(300));
    }

    @Test
    void aWriteGetsAllTheTimeAndItsUnknownOutcomeIsNotRepeated() {
        api.at(order.get(0), api.hanging());
        Duration before = env.elapsed();
        DhtException failure = failureOf(cluster.put(KEY, new byte[1]));
        assertThat(failure.code().action()).isEqualTo(Action.REPEAT_ONLY_THIS);
        assertThat(env.elapsed().minus(before)).isEqualTo(Duration.ofSeconds(4));
        assertThat(api.askedOf("put")).containsExactly(order.get(0));
    }

    @Test
    void anApiThatForgetsACallCostsTheDeadlineAndNoMore() {
        ADDRESSES.forEach(address -> api.at(address, timeout -> new CompletableFuture<>()));
        Duration before = env.elapsed();
        assertThat(failureOf(cluster.put(KEY, new byte[1])).code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(failureOf(cluster.get(KEY)).code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(env.elapsed().minus(before)).isEqualTo(Duration.ofSeconds(8));
    }

    @Test
    void anApiThatThrowsLeavesTheOutcomeUnknown() {
        api.at(order.get(0), timeout -> {
            throw new IllegalStateException("against the contract");
        });
        assertThat(failureOf(cluster.put(KEY, new byte[1]))).hasMessageContaining("against the contract");
        assertThat(await(cluster.get(KEY))).isPresent();
    }

    @Test
    void theTimeoutOfACallIsItsOwn() {
        await(cluster.get(KEY, CallOptions.defaults().withTimeout(Duration.ofSeconds(30))));
        await(cluster.put(KEY, new byte[1], CallOptions.defaults().withTimeout(Duration.ofSeconds(30))));
        assertThat(api.calls.get(api.calls.size() - 2).timeout()).isEqualTo(Duration.ofSeconds(15));
        assertThat(api.calls.get(api.calls.size() - 1).timeout()).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void arraysAreCopiedBeforeAMethodReturns() {
        api.at(order.get(0), api.slow(Duration.ofMillis(10)));
        byte[] value = new byte[3];
        CompletionStage<Version> put = cluster.put(KEY, value);
        value[0] = 1;
        assertThat(await(put)).isEqualTo(new Version(3));
        Map<Key, byte[]> values = new LinkedHashMap<>(Map.of(KEY, value));
        CompletionStage<Version> putAll = cluster.putAll(values);
        values.clear();
        assertThat(await(putAll)).isEqualTo(new Version(1));
    }

    @Test
    void doubledKeysCountOnce() {
        assertThat(await(cluster.getAll(List.of(KEY, KEY, Key.of("other"), KEY))))
                .containsOnlyKeys(KEY, Key.of("other"));
    }

    @Test
    void aTimeToLiveIsForWritesOfValuesOnly() {
        CallOptions ttl = CallOptions.defaults().withTimeToLive(Duration.ofSeconds(1));
        api.calls.clear();
        List.of(
                        cluster.get(KEY, ttl),
                        cluster.delete(KEY, ttl),
                        cluster.getAll(List.of(KEY), ttl),
                        cluster.scan(KeyRange.all(), ScanScope.CLUSTER, ttl).next())
                .forEach(stage -> assertThat(failureOf(stage).code()).isEqualTo(ErrorCode.TTL_INVALID));
        assertThat(api.calls).isEmpty();
        await(cluster.put(KEY, new byte[1], ttl));
        await(cluster.putAll(Map.of(KEY, new byte[1]), ttl));
    }

    @Test
    void callsBeyondTheLimitAreRefused() {
        RemoteCluster narrow = connect(OPTIONS.withMaxInFlight(2));
        ADDRESSES.forEach(address -> api.at(address, api.slow(Duration.ofMillis(10))));
        var one = narrow.get(KEY);
        var two = narrow.put(KEY, new byte[1]);
        assertThat(failureOf(narrow.get(KEY)).code()).isEqualTo(ErrorCode.OVERLOADED);
        await(one);
        await(two);
        await(narrow.get(KEY));
    }

    // Scans

    private void fill(int entries) {
        for (int i = 0; i < entries; i++) {
            Value value = new Value(new byte[1], new Version(i), OptionalLong.empty());
            api.entries.add(new KeyValue(Key.of("key%03d".formatted(i)), value));
        }
    }

    private static final List<KeyValue> NONE = List.of();

    @Test
    void aScanGoesOnBehindItsLastKeyOnAnotherNode() {
        fill(25);
        RemoteCluster pages = connect(OPTIONS.withScanPageSize(10));
        String first = api.askedOf("status").get(api.askedOf("status").size() - 1);
        Scan scan = pages.scan(KeyRange.all());
        List<KeyValue> shown = new ArrayList<>(await(scan.next()));
        assertThat(shown).hasSize(10);
        api.at(first, failing(ErrorCode.NOT_SENT));
        shown.addAll(await(scan.next()));
        shown.addAll(await(scan.next()));
        assertThat(shown).isEqualTo(api.entries);
        assertThat(await(scan.next())).isEmpty();
        assertThat(await(scan.next())).isEmpty();
        assertThat(new HashSet<>(api.askedOf("scan"))).hasSize(2);
    }

    @Test
    void aScanEndsWithItsRange() {
        fill(25);
        Scan scan = cluster.scan(KeyRange.between(Key.of("key003"), Key.of("key004")));
        assertThat(await(scan.next())).hasSize(1);
        assertThat(await(scan.next())).isEmpty();
        assertThat(await(
                        cluster.scan(KeyRange.between(Key.of("z"), Key.of("a"))).next()))
                .isEmpty();
    }

    @Test
    void aScanThatFailedIsOverAndDoesNotTellThatItHasEnded() {
        fill(5);
        Scan scan = cluster.scan(KeyRange.all());
        ADDRESSES.forEach(address -> api.at(address, failing(ErrorCode.NOT_ENOUGH_REPLICAS)));
        assertThat(failureOf(scan.next()).code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
        ADDRESSES.forEach(api::healthy);
        assertThat(failureOf(scan.next()).code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
        scan.close();
        assertThat(await(scan.next())).isEmpty();
    }

    @Test
    void aClosedScanShowsNothing() {
        fill(25);
        RemoteCluster pages = connect(OPTIONS.withScanPageSize(10));
        Scan scan = pages.scan(KeyRange.all());
        await(scan.next());
        scan.close();
        assertThat(await(scan.next())).isEmpty();
    }

    @Test
    void aScanOfANodesOwnEntriesStaysWithThatNode() {
        fill(25);
        RemoteCluster pages = connect(OPTIONS.withScanPageSize(10));
        String first = api.askedOf("status").get(api.askedOf("status").size() - 1);
        Scan scan = pages.scan(KeyRange.all(), ScanScope.NODE, CallOptions.defaults());
        await(scan.next());
        api.at(first, failing(ErrorCode.NOT_SENT));
        // Another call makes another node the preferred one.
        await(pages.get(KEY));
        api.healthy(first);
        await(scan.next());
        assertThat(new HashSet<>(api.askedOf("scan"))).containsExactly(first);
        api.at(first, failing(ErrorCode.NOT_SENT));
        assertThat(failureOf(scan.next()).code()).isEqualTo(ErrorCode.NOT_SENT);
        assertThat(new HashSet<>(api.askedOf("scan"))).containsExactly(first);
    }

    // What the cluster says of itself

    @Test
    void topologyAndPolicyComeFromTheStatusAndAreRefreshedByIt() {
        assertThat(cluster.topology()).isEqualTo(api.status.topology());
        assertThat(cluster.defaultPolicy()).isEqualTo(new ReplicationPolicy(2, 3));
        api.status = ScriptedApi.status(1, Node.of("n7", "z:1"));
        assertThat(await(cluster.status())).isEqualTo(api.status);
        assertThat(cluster.topology()).isEqualTo(api.status.topology());
        assertThat(cluster.defaultPolicy()).isEqualTo(new ReplicationPolicy(1, 1));
    }

    @Test
    void aPlacementNamesTheNodesOfTheTopology() {
        assertThat(await(cluster.locate(KEY)))
                .isEqualTo(new KeyPlacement(3, api.status.topology().nodes()));
        // A node that is new is looked up.
        api.status = ScriptedApi.status(1, Node.of("n7", "z:1"));
        assertThat(await(cluster.locate(KEY))).isEqualTo(new KeyPlacement(3, List.of(Node.of("n7", "z:1"))));
    }

    // Connecting and closing

    @Test
    void connectingTakesTheFirstNodeThatAnswers() {
        for (ErrorCode code : ErrorCode.values()) {
            api.at("a:1", failing(code));
            api.at("b:1", failing(code));
            assertThat(connect(OPTIONS).topology()).isEqualTo(api.status.topology());
        }
    }

    @Test
    void connectingFailsWithEachAddressAndWhy() {
        api.at("a:1", failing(ErrorCode.NOT_SENT));
        api.at("b:1", api.hanging());
        api.at("c:1", failing(ErrorCode.UNAUTHENTICATED));
        DhtException failure = failureOf(RemoteCluster.connecting(api, ADDRESSES, OPTIONS, env));
        assertThat(failure).isInstanceOf(UnavailableException.class);
        assertThat(failure)
                .hasMessageContaining("a:1: scripted NOT_SENT")
                .hasMessageContaining("b:1: no answer in time")
                .hasMessageContaining("c:1: scripted UNAUTHENTICATED");
    }

    @Test
    void connectingBlocksUntilANodeHasAnsweredAndClosesTheApiWithTheCluster() {
        ScriptedApi own = new ScriptedApi(env);
        own.at("a:1", failing(ErrorCode.NOT_SENT));
        try (RemoteCluster blocking = RemoteCluster.connect(own, ADDRESSES, OPTIONS)) {
            assertThat(blocking.topology()).isEqualTo(own.status.topology());
            assertThat(blocking.get(KEY).toCompletableFuture().join()).isPresent();
        }
        assertThat(own.closed).isTrue();
    }

    @Test
    void connectingInVainClosesTheApi() {
        ScriptedApi own = new ScriptedApi(env);
        ADDRESSES.forEach(address -> own.at(address, failing(ErrorCode.NOT_SENT)));
        assertThatExceptionOfType(UnavailableException.class)
                .isThrownBy(() -> RemoteCluster.connect(own, ADDRESSES, OPTIONS))
                .withMessageContaining("a:1")
                .withMessageContaining("b:1")
                .withMessageContaining("c:1");
        assertThat(own.closed).isTrue();
        ScriptedApi unused = new ScriptedApi(env);
        assertThatIllegalArgumentException().isThrownBy(() -> RemoteCluster.connect(unused, List.of(), OPTIONS));
        assertThat(unused.closed).isTrue();
    }

    @Test
    void closingEndsTheCallsUnderWayAndRefusesLaterOnes() {
        ADDRESSES.forEach(address -> api.at(address, timeout -> new CompletableFuture<>()));
        List<CompletionStage<?>> underWay = new ArrayList<>();
        READS.values().forEach(call -> underWay.add(call.apply(cluster)));
        WRITES.values().forEach(call -> underWay.add(call.apply(cluster)));
        api.calls.clear();
        cluster.close();
        cluster.close();
        assertThat(underWay).allMatch(stage -> stage.toCompletableFuture().isCompletedExceptionally());
        assertThat(api.calls).as("no other node is asked").isEmpty();
        assertThat(failureOf(cluster.get(KEY)).code()).isEqualTo(ErrorCode.NOT_SERVING);
        assertThat(failureOf(cluster.put(KEY, new byte[1])).code()).isEqualTo(ErrorCode.NOT_SERVING);
        assertThat(failureOf(cluster.scan(KeyRange.all()).next()).code()).isEqualTo(ErrorCode.NOT_SERVING);
    }

    @Test
    void addressesAndOptionsAreChecked() {
        for (List<String> wrong : List.of(List.<String>of(), List.of("a:1", " "), List.of("a:1", "b:1", "a:1"))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RemoteCluster.connecting(api, wrong, OPTIONS, env))
                    .withMessageContaining("address");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OPTIONS.withTimeout(Duration.ZERO))
                .withMessageContaining("timeout");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OPTIONS.withConnectTimeout(Duration.ofHours(2)))
                .withMessageContaining("connectTimeout");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OPTIONS.withScanPageSize(10_001))
                .withMessageContaining("scanPageSize");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OPTIONS.withMaxInFlight(0))
                .withMessageContaining("maxInFlight");
    }
}
