package io.dht4j.simulator.remote;

import static io.dht4j.simulator.remote.ScriptedApi.failing;
import static io.dht4j.simulator.remote.ScriptedCluster.ADDRESSES;
import static io.dht4j.simulator.remote.ScriptedCluster.BOUND;
import static io.dht4j.simulator.remote.ScriptedCluster.KEY;
import static io.dht4j.simulator.remote.ScriptedCluster.OPTIONS;
import static io.dht4j.simulator.remote.ScriptedCluster.READS;
import static io.dht4j.simulator.remote.ScriptedCluster.WRITES;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.ErrorCode.Action;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.ScanScope;
import io.dht4j.UnavailableException;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.client.RemoteCluster;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls of a remote cluster: which node is asked, and for how long. */
class RemoteClusterTest {

    private final ScriptedCluster scripted = new ScriptedCluster();
    private final VirtualEnvironment env = scripted.env;
    private final ScriptedApi api = scripted.api;
    private final RemoteCluster cluster = scripted.cluster;
    private final List<String> order = scripted.order;

    private List<String> tried(String method, Function<RemoteCluster, CompletionStage<?>> call, boolean ends) {
        // Later than any penalty of an earlier call.
        env.advance(Duration.ofSeconds(2));
        api.calls.clear();
        CompletionStage<?> stage = call.apply(cluster);
        if (ends) {
            scripted.await(stage);
        } else {
            scripted.failureOf(stage);
        }
        return api.askedOf(method);
    }

    @ParameterizedTest
    @EnumSource
    void readsTryTheNextNodeOnRetryableErrorsOnly(ErrorCode code) {
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
    void errorOfAllNodesKeepsItsCodeAndMessages(ErrorCode code) {
        ADDRESSES.forEach(address -> api.at(address, failing(code)));
        Map<String, Function<RemoteCluster, CompletionStage<?>>> calls = new LinkedHashMap<>(READS);
        calls.putAll(WRITES);
        calls.forEach((method, call) -> {
            env.advance(Duration.ofSeconds(2));
            api.calls.clear();
            DhtException failure = scripted.failureOf(call.apply(cluster));
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
            scripted.await(cluster.get(KEY));
            scripted.await(cluster.put(KEY, new byte[1]));
        }
        assertThat(new HashSet<>(api.askedOf("get"))).containsExactly(order.get(0));
        assertThat(new HashSet<>(api.askedOf("put"))).containsExactly(order.get(0));
    }

    @Test
    void aNodeThatIsAboutToStopIsLeftWithItsFirstAnswer() {
        api.saysThatItStops(order.get(0), true);
        for (int i = 0; i < 3; i++) {
            scripted.await(cluster.get(KEY));
        }
        assertThat(api.askedOf("get")).containsExactly(order.get(0), order.get(1), order.get(1));

        // It is gone and the other one is about to go: for a while the first is tried after the third.
        api.at(order.get(0), failing(ErrorCode.NOT_SENT));
        api.saysThatItStops(order.get(1), true);
        api.calls.clear();
        scripted.await(cluster.put(KEY, new byte[1]));
        scripted.await(cluster.put(KEY, new byte[1]));
        assertThat(api.askedOf("put")).containsExactly(order.get(1), order.get(2));
    }

    @Test
    void aNodeThatWasStartedAgainIsTriedAgainTenSecondsLater() {
        api.saysThatItStops(order.get(0), true);
        scripted.await(cluster.get(KEY));
        scripted.await(cluster.get(KEY));
        api.saysThatItStops(order.get(0), false);
        env.advance(Duration.ofSeconds(10));
        api.at(order.get(1), failing(ErrorCode.NOT_SENT));
        api.at(order.get(2), failing(ErrorCode.NOT_SENT));
        api.calls.clear();
        scripted.await(cluster.get(KEY));
        assertThat(api.askedOf("get")).containsExactly(order.get(1), order.get(2), order.get(0));
    }

    @Test
    void whenAllNodesAreAboutToStopTheyStillServe() {
        order.forEach(address -> api.saysThatItStops(address, true));
        for (int i = 0; i < 4; i++) {
            scripted.await(cluster.get(KEY));
        }
        assertThat(api.askedOf("get")).hasSize(4);
    }

    @Test
    void aClientIsReadyWhenTheNodesAnswerReads() {
        ADDRESSES.forEach(address -> api.at(address, failing(ErrorCode.NOT_ENOUGH_REPLICAS)));
        CompletionStage<Void> ready = cluster.ready();
        env.advance(Duration.ofMinutes(1));
        assertThat(ready.toCompletableFuture().isDone()).isFalse();
        ADDRESSES.forEach(api::healthy);
        scripted.await(ready);
    }

    @Test
    void clientWithoutReadPermissionIsReady() {
        ADDRESSES.forEach(address -> api.at(address, failing(ErrorCode.PERMISSION_DENIED)));
        scripted.await(cluster.ready());
    }

    @Test
    void aClientThatIsClosedIsNeverReady() {
        ADDRESSES.forEach(address -> api.at(address, failing(ErrorCode.NOT_SENT)));
        CompletionStage<Void> ready = cluster.ready();
        env.advance(Duration.ofSeconds(1));
        cluster.close();
        assertThat(scripted.failureOf(ready).code()).isEqualTo(ErrorCode.NOT_SERVING);
        assertThat(scripted.failureOf(cluster.ready())).hasMessage("this client is closed");
        assertThat(scripted.failureOf(cluster.operations().status())).hasMessage("this client is closed");
        assertThat(cluster.operations()).hasToString("operations of the first node that answers");
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
    void failedNodeIsTriedLastForASecond() {
        api.at(order.get(0), failing(ErrorCode.NOT_SENT));
        scripted.await(cluster.get(KEY));
        scripted.await(cluster.get(KEY));
        assertThat(api.askedOf("get")).containsExactly(order.get(0), order.get(1), order.get(1));

        // While it is suspect it still comes last.
        api.healthy(order.get(0));
        api.at(order.get(1), failing(ErrorCode.NOT_SENT));
        api.at(order.get(2), failing(ErrorCode.NOT_SENT));
        api.calls.clear();
        scripted.await(cluster.get(KEY));
        assertThat(api.askedOf("get")).containsExactly(order.get(1), order.get(2), order.get(0));
        api.calls.clear();
        scripted.await(cluster.get(KEY));
        assertThat(api.askedOf("get")).containsExactly(order.get(0));

        env.advance(Duration.ofSeconds(2));
        api.at(order.get(0), failing(ErrorCode.NOT_SENT));
        api.healthy(order.get(1));
        api.calls.clear();
        scripted.await(cluster.get(KEY));
        assertThat(api.askedOf("get")).containsExactly(order.get(0), order.get(1));
    }

    @Test
    void aReadLeavesTimeToAskAnotherNode() {
        api.at(order.get(0), api.hanging());
        Duration before = env.elapsed();
        assertThat(scripted.await(cluster.get(KEY)).map(Value::text)).contains(order.get(1));
        assertThat(env.elapsed().minus(before)).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void allTriesShareOneDeadline() {
        ADDRESSES.forEach(address -> api.at(address, api.hanging()));
        api.calls.clear();
        Duration before = env.elapsed();
        DhtException failure =
                scripted.failureOf(cluster.get(KEY, CallOptions.defaults().withTimeout(Duration.ofMillis(1200))));
        assertThat(failure).isInstanceOf(UnavailableException.class);
        assertThat(failure.code()).isEqualTo(ErrorCode.DEADLINE_PASSED);
        assertThat(env.elapsed().minus(before)).isEqualTo(Duration.ofMillis(1200));
        assertThat(api.calls)
                .extracting(ScriptedApi.Call::timeout)
                .containsExactly(Duration.ofMillis(600), Duration.ofMillis(300), Duration.ofMillis(300));
    }

    @Test
    void hangingWriteUsesItsTimeoutWithoutARetry() {
        api.at(order.get(0), api.hanging());
        Duration before = env.elapsed();
        DhtException failure = scripted.failureOf(cluster.put(KEY, new byte[1]));
        assertThat(failure.code()).isEqualTo(ErrorCode.NO_REPLY);
        assertThat(failure).hasMessageEndingWith("; the write may take effect or not");
        assertThat(env.elapsed().minus(before)).isEqualTo(Duration.ofSeconds(4));
        assertThat(api.askedOf("put")).containsExactly(order.get(0));
    }

    @Test
    void unansweredCallFailsAtItsDeadline() {
        ADDRESSES.forEach(address -> api.at(address, timeout -> new CompletableFuture<>()));
        Duration before = env.elapsed();
        DhtException unknown = scripted.failureOf(cluster.put(KEY, new byte[1]));
        assertThat(unknown.code()).isEqualTo(ErrorCode.NO_REPLY);
        assertThat(unknown).hasMessageEndingWith("no answer within 4000 ms; the write may take effect or not");
        assertThat(scripted.failureOf(cluster.get(KEY)).code()).isEqualTo(ErrorCode.DEADLINE_PASSED);
        assertThat(env.elapsed().minus(before)).isEqualTo(Duration.ofSeconds(8));
    }

    @Test
    void silentNodeLeavesNoScanIndeterminate() {
        ADDRESSES.forEach(address -> api.at(address, api.hanging()));
        for (ScanScope scope : ScanScope.values()) {
            assertThat(scripted.failureOf(cluster.scan(KeyRange.all(), scope, CallOptions.defaults())
                                    .next())
                            .code())
                    .isEqualTo(ErrorCode.DEADLINE_PASSED);
        }
    }

    @Test
    void anApiThatThrowsLeavesTheOutcomeUnknown() {
        api.at(order.get(0), timeout -> {
            throw new IllegalStateException("against the contract");
        });
        assertThat(scripted.failureOf(cluster.put(KEY, new byte[1]))).hasMessageContaining("against the contract");
        assertThat(scripted.await(cluster.get(KEY))).isPresent();
    }

    @Test
    void anApiThatRunsOutOfMemoryFailsItsCallAndNothingElse() {
        RemoteCluster narrow = scripted.connect(OPTIONS.withMaxInFlight(1));
        ADDRESSES.forEach(address -> api.at(address, timeout -> {
            throw new OutOfMemoryError("scripted");
        }));
        assertThat(scripted.failureOf(narrow.put(KEY, new byte[1])).code()).isEqualTo(ErrorCode.INTERNAL);
        ADDRESSES.forEach(api::healthy);
        assertThat(scripted.await(narrow.get(KEY))).isPresent();
    }

    @Test
    void theTimeoutOfACallIsItsOwn() {
        scripted.await(cluster.get(KEY, CallOptions.defaults().withTimeout(Duration.ofSeconds(30))));
        scripted.await(cluster.put(KEY, new byte[1], CallOptions.defaults().withTimeout(Duration.ofSeconds(30))));
        assertThat(api.calls.get(api.calls.size() - 2).timeout()).isEqualTo(Duration.ofSeconds(15));
        assertThat(api.calls.get(api.calls.size() - 1).timeout()).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void arraysAreCopiedBeforeAMethodReturns() {
        api.at(order.get(0), api.slow(Duration.ofMillis(10)));
        byte[] value = new byte[3];
        CompletionStage<Version> put = cluster.put(KEY, value);
        value[0] = 1;
        assertThat(scripted.await(put)).isEqualTo(new Version(3));
        Map<Key, byte[]> values = new LinkedHashMap<>(Map.of(KEY, value));
        CompletionStage<Version> putAll = cluster.putAll(values);
        values.clear();
        assertThat(scripted.await(putAll)).isEqualTo(new Version(1));
    }

    @Test
    void repeatedKeysCountOnce() {
        assertThat(scripted.await(cluster.getAll(List.of(KEY, KEY, Key.of("other"), KEY))))
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
                .forEach(stage -> assertThat(scripted.failureOf(stage).code()).isEqualTo(ErrorCode.TTL_INVALID));
        assertThat(api.calls).isEmpty();
        scripted.await(cluster.put(KEY, new byte[1], ttl));
        scripted.await(cluster.putAll(Map.of(KEY, new byte[1]), ttl));
    }

    @Test
    void callsBeyondTheLimitAreRefused() {
        RemoteCluster narrow = scripted.connect(OPTIONS.withMaxInFlight(2));
        ADDRESSES.forEach(address -> api.at(address, api.slow(Duration.ofMillis(10))));
        var one = narrow.get(KEY);
        var two = narrow.put(KEY, new byte[1]);
        assertThat(scripted.failureOf(narrow.get(KEY)).code()).isEqualTo(ErrorCode.OVERLOADED);
        scripted.await(one);
        scripted.await(two);
        scripted.await(narrow.get(KEY));
    }

    @Test
    void callsWhoseCallerCompletesTheirFuturesLeaveTheirRoom() {
        RemoteCluster narrow = scripted.connect(OPTIONS.withMaxInFlight(1));
        ADDRESSES.forEach(address -> api.at(address, api.slow(Duration.ofMillis(10))));
        CompletableFuture<?> read = narrow.get(KEY).toCompletableFuture();
        read.cancel(false);
        assertThat(scripted.failureOf(narrow.get(KEY)).code()).isEqualTo(ErrorCode.OVERLOADED);
        env.advance(Duration.ofSeconds(1));
        scripted.await(narrow.get(KEY));
    }
}
