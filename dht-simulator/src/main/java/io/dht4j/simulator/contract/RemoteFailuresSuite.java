package io.dht4j.simulator.contract;

import static io.dht4j.simulator.contract.Results.PATIENCE;
import static io.dht4j.simulator.contract.Results.bytes;
import static io.dht4j.simulator.contract.Results.failure;
import static io.dht4j.simulator.contract.Results.failureOfClosing;
import static io.dht4j.simulator.contract.Results.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.ScanScope;
import io.dht4j.UnavailableException;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.spi.RemoteApi;
import io.dht4j.testkit.network.FreePorts;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Errors of the cluster, nodes that are stopped, silent or missing, and closed clients. A part of
 * {@link RemoteApiContract}.
 */
interface RemoteFailuresSuite extends RemoteApiSuite {

    /** The deadline of calls that are not answered. */
    Duration BRIEF_TIME = Duration.ofMillis(500);

    /** The options of calls that are not answered. */
    CallOptions BRIEF = CallOptions.defaults().withTimeout(BRIEF_TIME);

    /** Calls while a node is silent. */
    int CALLS_WHILE_SILENT = 3;

    @Test
    default void refusalsKeepTheirErrorCode() {
        DhtException tooMany = failure(api().get(address(0), KEY, OPTIONS.withPolicy(5, 9)));
        assertThat(tooMany.code()).isEqualTo(ErrorCode.POLICY_INVALID);
        assertThat(tooMany).as("words of Java").hasMessageContaining("a policy needs 1 <= ack <= from <= 3 ");
        assertThat(failure(api().put(address(0), KEY, bytes("value"), OPTIONS.withPolicy(5, 9)))
                        .code())
                .isEqualTo(ErrorCode.POLICY_INVALID);
        assertThat(failure(api().scan(address(0), KeyRange.all(), ScanScope.CLUSTER, 10, OPTIONS.withPolicy(5, 9)))
                        .code())
                .isEqualTo(ErrorCode.POLICY_INVALID);
        assertThat(failure(api().put(address(0), KEY, new byte[MAX_VALUE_BYTES + 1], OPTIONS))
                        .code())
                .isEqualTo(ErrorCode.VALUE_TOO_LARGE);
        Map<Key, byte[]> values = new LinkedHashMap<>();
        for (int i = 0; i <= MAX_BATCH; i++) {
            values.put(Key.of("key " + i), new byte[1]);
        }
        assertThat(failure(api().putAll(address(0), values, OPTIONS)).code()).isEqualTo(ErrorCode.BATCH_TOO_LARGE);
        assertThat(failure(api().getAll(address(0), values.keySet(), OPTIONS)).code())
                .isEqualTo(ErrorCode.BATCH_TOO_LARGE);
        assertThat(result(api().scan(address(0), KeyRange.all(), ScanScope.CLUSTER, 10, OPTIONS)))
                .as("nothing was written")
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    default void everyErrorArrivesWithItsCodeAndItsMessage(ErrorCode code) throws Exception {
        DhtException original = DhtException.of(code, "why it failed: 42");
        String address = served(OneAnswerCluster.failing(original)).address();
        calls(address, OPTIONS).forEach((method, call) -> {
            DhtException arrived = failure(call);
            assertThat(arrived.code()).as(method).isEqualTo(code);
            assertThat(arrived).as(method).isInstanceOf(original.getClass()).hasMessageContaining("why it failed: 42");
        });
    }

    @Test
    default void aNodeThatIsNotThereWasSentNothing() throws IOException {
        String address = nobodysAddress();
        calls(address, OPTIONS).forEach((method, call) -> {
            DhtException error = failure(call);
            assertThat(error.code()).as(method).isEqualTo(ErrorCode.NOT_SENT);
            assertThat(error).as(method).hasMessageContaining(address);
        });
        assertThat(result(api().status(address(0), OPTIONS)).id().value()).isEqualTo("n0");
    }

    @Test
    default void aNodeThatIsSlowIsNotTakenForOneThatIsGone() throws Exception {
        OneAnswerCluster silent = OneAnswerCluster.silent();
        String address = served(silent).address();
        CompletionStage<Optional<Value>> slow = api().get(address, KEY, OPTIONS);
        for (int i = 0; i < CALLS_WHILE_SILENT; i++) {
            failure(api().get(address, KEY, BRIEF));
        }
        silent.fail(DhtException.of(ErrorCode.OVERLOADED, "late"));
        assertThat(failure(slow).code()).isEqualTo(ErrorCode.OVERLOADED);
    }

    @Test
    default void aNodeThatHasGoneFailsAndLeavesTheOthersUsable() {
        result(api().put(address(0), KEY, bytes("value"), EVERYWHERE));
        result(api().get(address(1), KEY, OPTIONS));
        servers().get(1).close();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(
                                failure(api().get(address(1), KEY, OPTIONS)).code())
                        .isEqualTo(ErrorCode.NOT_SENT));
        assertThat(result(api().get(address(0), KEY, OPTIONS)).map(Value::text)).contains("value");
    }

    @RepeatedTest(3)
    default void failureWithoutEffectWasNeverDoneWhenTheNodeCloses() throws Exception {
        RemoteApiContract.Server server = served(clusters().get(0));
        expectPromisesKept(server, server);
    }

    @RepeatedTest(3)
    default void failureWithoutEffectWasNeverDoneWhenTheClientCloses() throws Exception {
        expectPromisesKept(served(clusters().get(0)), api());
    }

    /**
     * Checks the outcomes of two callers that continue while one side closes. Some of their calls have short deadlines.
     */
    private void expectPromisesKept(RemoteApiContract.Server server, AutoCloseable closing) throws Exception {
        Map<Key, CompletionStage<Version>> puts = new ConcurrentHashMap<>();
        CompletableFuture<Void> underWay = new CompletableFuture<>();
        AtomicBoolean closed = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<Future<?>> callers = new ArrayList<>();
            for (int caller = 0; caller < 2; caller++) {
                String prefix = caller + "-";
                SplittableRandom random = new SplittableRandom(caller);
                callers.add(threads.submit(() -> {
                    int last = Integer.MAX_VALUE;
                    for (int i = 0; i <= last; i++) {
                        if (closed.get() && last == Integer.MAX_VALUE) {
                            last = i + 20;
                        }
                        Duration time = random.nextInt(4) == 0
                                ? Duration.ofMillis(1 + random.nextInt(10))
                                : Duration.ofSeconds(10);
                        Key key = Key.of(prefix + i);
                        puts.put(key, api().put(server.address(), key, bytes("value"), OPTIONS.withTimeout(time)));
                        if (i % 10 == 0) {
                            puts.get(key)
                                    .handle((version, error) -> error)
                                    .toCompletableFuture()
                                    .join();
                        }
                        if (puts.get(key).toCompletableFuture().isCompletedExceptionally()) {
                            // Limits the number of calls to some thousands.
                            LockSupport.parkNanos(100_000);
                        }
                        if (i == 200) {
                            underWay.complete(null);
                        }
                    }
                }));
            }
            underWay.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            closing.close();
            closed.set(true);
            for (Future<?> caller : callers) {
                caller.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
        } finally {
            closed.set(true);
            threads.shutdown();
        }
        // Requests in transit arrive before this, or never.
        server.close();
        Set<Key> undone = new HashSet<>();
        puts.forEach((key, put) -> {
            if (codeOf(put)
                    .filter(code -> code.action() == ErrorCode.Action.RETRY_ANYWHERE)
                    .isPresent()) {
                undone.add(key);
            }
        });
        assertThat(undone)
                .isNotEmpty()
                .allSatisfy(key -> assertThat(result(clusters().get(0).get(key, EVERYWHERE)))
                        .as(key.toString())
                        .isEmpty());
    }

    @Test
    default void aNodeThatHangsLeavesTheOutcomeUnknownAtTheDeadline() throws Exception {
        Duration time = BRIEF_TIME;
        while (!leavesTheOutcomeUnknown(time)) {
            time = time.multipliedBy(4);
            assertThat(time).as("time in which the calls should have arrived").isLessThan(PATIENCE);
        }
    }

    /** Returns false if a call failed to arrive in time, for example because a thread was suspended. */
    private boolean leavesTheOutcomeUnknown(Duration time) throws Exception {
        OneAnswerCluster silent = OneAnswerCluster.silent();
        Map<String, CompletionStage<?>> calls = calls(served(silent).address(), OPTIONS.withTimeout(time));
        Map<String, ErrorCode> codes = new LinkedHashMap<>();
        calls.forEach((method, call) -> codes.put(method, failure(call).code()));
        if (silent.calls() < calls.size()) {
            return false;
        }
        assertThat(codes).allSatisfy((method, code) -> assertThat(code).isEqualTo(ErrorCode.INTERNAL));
        return true;
    }

    @Test
    default void callsToASilentServerFailByTheDeadline() throws IOException {
        try (SilentListener listener = new SilentListener()) {
            calls(listener.address(), BRIEF)
                    .forEach((method, call) ->
                            assertThat(failure(call).code()).as(method).isIn(ErrorCode.INTERNAL, ErrorCode.NOT_SENT));
        }
    }

    @Test
    default void anAddressThatIsNoneIsRefusedAndNamed() {
        for (String address : List.of("", "no port", "127.0.0.1:", "127.0.0.1:99999", ":1")) {
            calls(address, BRIEF).forEach((method, call) -> {
                DhtException error = failure(call);
                assertThat(error.code().action())
                        .as("%s at \"%s\"", method, address)
                        .isIn(ErrorCode.Action.FIX_REQUEST, ErrorCode.Action.RETRY_ANYWHERE);
                assertThat(error).hasMessageContaining(address);
            });
        }
    }

    @Test
    default void closingEndsTheCallsUnderWay() throws Exception {
        OneAnswerCluster silent = OneAnswerCluster.silent();
        String address = served(silent).address();
        Map<String, CompletionStage<?>> calls = calls(address, OPTIONS);
        await().atMost(PATIENCE).until(() -> silent.calls() == calls.size());
        api().close();
        calls.forEach(
                (method, call) -> assertThat(failure(call).code()).as(method).isEqualTo(ErrorCode.INTERNAL));
    }

    @Test
    default void aClosedClientRefusesCallsAndMayBeClosedAgain() {
        api().close();
        api().close();
        calls(address(0), OPTIONS).forEach((method, call) -> {
            DhtException refusal = failure(call);
            assertThat(refusal.code()).as(method).isEqualTo(ErrorCode.NOT_SERVING);
            assertThat(refusal).as(method).hasMessage("this client is closed");
        });
        List<String> addresses = List.of(address(0), address(1));
        assertThatThrownBy(() -> RemoteCluster.connect(api(), addresses, RemoteOptions.defaults()))
                .isInstanceOf(UnavailableException.class)
                .hasMessage("this client is closed");
    }

    @Test
    default void callsSayThatTheirClientWasClosed() throws Exception {
        OneAnswerCluster silent = OneAnswerCluster.silent();
        String address = served(silent).address();
        RemoteCluster client = RemoteCluster.connect(newApi(), List.of(address(0), address), RemoteOptions.defaults());
        // The second node is asked when the first one has failed.
        clusters().get(0).close();
        CompletionStage<?> write = client.put(KEY, bytes("value"), OPTIONS);
        CompletionStage<?> read = client.get(KEY, OPTIONS);
        await().atMost(PATIENCE).until(() -> silent.calls() >= 2);
        client.close();
        assertThat(failure(write))
                .hasMessageContaining("this client is closed; the write may take effect or not")
                .extracting(DhtException::code)
                .isEqualTo(ErrorCode.NO_REPLY);
        assertThat(failure(read))
                .hasMessageContaining("this client is closed")
                .extracting(DhtException::code)
                .isEqualTo(ErrorCode.NOT_SERVING);
    }

    @Test
    default void closingInAnActionIsRefusedAtOnce() {
        try (RemoteCluster client = RemoteCluster.connect(newApi(), List.of(address(0)), RemoteOptions.defaults())) {
            assertThat(failureOfClosing(client, () -> client.put(KEY, bytes("value"), EVERYWHERE)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the remote client cannot be closed on this thread: it runs an action");
            assertThat(result(client.get(KEY, OPTIONS)).map(Value::text)).contains("value");
        }
    }

    @Test
    default void twoClientsLiveSideBySide() {
        RemoteApi other = newApi();
        result(api().put(address(0), KEY, bytes("value"), EVERYWHERE));
        other.close();
        assertThat(result(api().get(address(0), KEY, OPTIONS)).map(Value::text)).contains("value");
    }

    /** Returns the code of a failed call; empty if the call succeeded. */
    private static Optional<ErrorCode> codeOf(CompletionStage<?> call) {
        return result(call.handle((done, error) ->
                Optional.ofNullable(error).map(DhtException::unwrap).map(failure -> ((DhtException) failure).code())));
    }

    /** Returns one call of every method. */
    private Map<String, CompletionStage<?>> calls(String address, CallOptions options) {
        Map<String, CompletionStage<?>> calls = new LinkedHashMap<>();
        calls.put("get", api().get(address, KEY, options));
        calls.put("put", api().put(address, KEY, bytes("value"), options));
        calls.put("delete", api().delete(address, KEY, options));
        calls.put("getAll", api().getAll(address, List.of(KEY, Key.of("other")), options));
        calls.put("putAll", api().putAll(address, Map.of(KEY, bytes("value")), options));
        calls.put("scan", api().scan(address, KeyRange.all(), ScanScope.CLUSTER, 10, options));
        calls.put("locate", api().locate(address, KEY, options));
        calls.put("status", api().status(address, options));
        return calls;
    }

    /** Returns an address of this machine without a listening process. */
    private static String nobodysAddress() {
        return "127.0.0.1:" + FreePorts.find();
    }
}
