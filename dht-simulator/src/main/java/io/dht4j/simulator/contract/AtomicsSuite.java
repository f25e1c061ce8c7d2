package io.dht4j.simulator.contract;

import static io.dht4j.simulator.contract.Results.failure;
import static io.dht4j.simulator.contract.Results.result;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.IndeterminateException;
import io.dht4j.Key;
import io.dht4j.RequestId;
import io.dht4j.Value;
import io.dht4j.Version;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Operations on atomic keys through a remote API. A part of {@link RemoteApiContract}. */
interface AtomicsSuite extends RemoteApiSuite {

    /** Executes operations on keys of one map, at the server of a cluster that agrees on its nodes. */
    final class Caller {

        private final RemoteApiSuite suite;
        private final String address;
        private final String map;

        Caller(RemoteApiSuite suite, String address, String map) {
            this.suite = suite;
            this.address = address;
            this.map = map;
        }

        CompletionStage<AtomicResult> call(Key key, AtomicChange change, CallOptions options) {
            return suite.api().execute(address, map, key, change, options);
        }

        AtomicResult execute(AtomicChange change) {
            return execute(KEY, change);
        }

        AtomicResult execute(Key key, AtomicChange change) {
            return result(call(key, change, OPTIONS));
        }

        DhtException refusal(AtomicChange change) {
            return failure(call(KEY, change, OPTIONS));
        }

        Optional<String> text() {
            return execute(AtomicChange.read()).current().map(Value::text);
        }
    }

    private Caller caller() throws Exception {
        return new Caller(this, agreedAddress(), "map");
    }

    private static byte[] text(String text) {
        return text.getBytes(UTF_8);
    }

    @Test
    default void anAtomicValueIsSetReadAndRemoved() throws Exception {
        Caller caller = caller();
        AtomicResult absent = caller.execute(AtomicChange.read());
        assertThat(absent)
                .isEqualTo(new AtomicResult(true, false, new Version(0), OptionalLong.of(0), Optional.empty()));

        AtomicResult created = caller.execute(AtomicChange.put(text("one"), 0));
        assertThat(created.isCreated()).isTrue();
        AtomicResult replaced =
                caller.execute(AtomicChange.put(text("two"), Duration.ofHours(1).toMillis()));
        assertThat(replaced.isDone()).isTrue();
        assertThat(replaced.isCreated()).isFalse();
        assertThat(replaced.version()).isGreaterThan(created.version());
        assertThat(replaced.number()).isEmpty();

        AtomicResult read = caller.execute(AtomicChange.read());
        Value value = read.current().orElseThrow();
        assertThat(value.text()).isEqualTo("two");
        assertThat(value.version()).isEqualTo(read.version()).isEqualTo(replaced.version());
        assertThat(value.expiresAt()).isPresent();
        assertThat(read.number()).isEmpty();

        assertThat(caller.execute(AtomicChange.remove()).isDone()).isTrue();
        assertThat(caller.execute(AtomicChange.read())).isEqualTo(absent);
        assertThat(caller.execute(AtomicChange.remove()).isDone()).isTrue();
    }

    @Test
    default void aConditionThatDoesNotHoldShowsWhatIsThere() throws Exception {
        Caller caller = caller();
        Version first = caller.execute(AtomicChange.putIfAbsent(text("one"), 0)).version();
        AtomicResult refused = caller.execute(AtomicChange.putIfAbsent(text("two"), 0));
        assertThat(refused.isDone()).isFalse();
        assertThat(refused.version()).isEqualTo(first);
        assertThat(refused.current().map(Value::text)).contains("one");
        assertThat(refused.current().map(Value::version)).contains(first);

        Version other = new Version(first.packed() + 1);
        assertThat(caller.execute(AtomicChange.replace(other, text("three"), 0))
                        .current()
                        .map(Value::text))
                .contains("one");
        AtomicResult replaced = caller.execute(AtomicChange.replace(first, text("three"), 0));
        assertThat(replaced.isDone()).isTrue();
        assertThat(caller.text()).contains("three");

        assertThat(caller.execute(AtomicChange.remove(first)).isDone()).isFalse();
        assertThat(caller.execute(AtomicChange.remove(replaced.version())).isDone())
                .isTrue();
        AtomicResult gone = caller.execute(AtomicChange.replace(replaced.version(), text("four"), 0));
        assertThat(gone)
                .isEqualTo(new AtomicResult(false, false, new Version(0), OptionalLong.empty(), Optional.empty()));
    }

    @Test
    default void anAtomicCounterCounts() throws Exception {
        Caller caller = caller();
        AtomicResult created = caller.execute(AtomicChange.add(5));
        assertThat(created.number()).hasValue(5);
        assertThat(created.isCreated()).isTrue();
        assertThat(caller.execute(AtomicChange.add(0)).isCreated()).isFalse();
        assertThat(caller.execute(AtomicChange.add(-7)).number()).hasValue(-2);
        assertThat(caller.execute(AtomicChange.compareAndSet(-2, Long.MIN_VALUE))
                        .isDone())
                .isTrue();
        AtomicResult refused = caller.execute(AtomicChange.compareAndSet(0, 1));
        assertThat(refused.isDone()).isFalse();
        assertThat(refused.number()).hasValue(Long.MIN_VALUE);
        AtomicResult read = caller.execute(AtomicChange.read());
        assertThat(read.number()).hasValue(Long.MIN_VALUE);
        assertThat(read.current().map(Value::text)).contains(Long.toString(Long.MIN_VALUE));

        DhtException overflow = caller.refusal(AtomicChange.add(-1));
        assertThat(overflow.code()).isEqualTo(ErrorCode.COUNTER_OVERFLOW);
        DhtException kind = caller.refusal(AtomicChange.put(text("value"), 0));
        assertThat(kind.code()).isEqualTo(ErrorCode.ATOMIC_KIND);
        assertThat(kind).hasMessageContaining("key key of map map").hasMessageContaining("counter");
        assertThat(caller.execute(AtomicChange.read()).number()).hasValue(Long.MIN_VALUE);
    }

    @Test
    default void touchSetsTheExpiry() throws Exception {
        Caller caller = caller();
        long hour = Duration.ofHours(1).toMillis();
        assertThat(caller.execute(AtomicChange.touch(hour)).isDone()).isFalse();
        Version put = caller.execute(AtomicChange.put(text("value"), 0)).version();
        AtomicResult touched = caller.execute(AtomicChange.touch(hour));
        assertThat(touched.isDone()).isTrue();
        assertThat(touched.version()).isGreaterThan(put);
        Value value = caller.execute(AtomicChange.read()).current().orElseThrow();
        assertThat(value.text()).isEqualTo("value");
        assertThat(value.expiresAt()).isPresent();
    }

    @Test
    default void atomicKeysAndMapsOfAnyBytesAreKeptApart() throws Exception {
        String address = agreedAddress();
        List<Key> keys = RemoteApiSuite.awkwardKeys().stream()
                .filter(key -> key.length() < 1000)
                .toList();
        List<String> maps = List.of("m", "m/1", "a+b&c=d %41", "grün 東京 🙂", "m".repeat(255));
        for (String map : maps) {
            for (int i = 0; i < keys.size(); i++) {
                new Caller(this, address, map).execute(keys.get(i), AtomicChange.put(text(map + i), 0));
            }
        }
        for (String map : maps) {
            for (int i = 0; i < keys.size(); i++) {
                AtomicResult read = new Caller(this, address, map).execute(keys.get(i), AtomicChange.read());
                assertThat(read.current().map(Value::text)).contains(map + i);
            }
        }
    }

    @Test
    default void aMapNeedsAName() throws Exception {
        String address = agreedAddress();
        for (String map : List.of("", "m".repeat(256))) {
            DhtException refused = failure(api().execute(address, map, KEY, AtomicChange.read(), OPTIONS));
            assertThat(refused.code()).isEqualTo(ErrorCode.BAD_REQUEST);
            assertThat(refused).hasMessageContaining("the name of a map ").hasMessageContaining("UTF-8");
        }
    }

    @Test
    default void anAtomicValueOfAnySizeComesBackAsItWas() throws Exception {
        Caller caller = caller();
        for (int size : new int[] {0, 1, 4_096, AtomicChange.MAX_VALUE_BYTES}) {
            byte[] value = new byte[size];
            IntStream.range(0, size).forEach(i -> value[i] = (byte) (i * 31));
            caller.execute(AtomicChange.put(value, 0));
            assertThat(caller.execute(AtomicChange.read())
                            .current()
                            .orElseThrow()
                            .bytes())
                    .isEqualTo(value);
            assertThat(caller.execute(AtomicChange.putIfAbsent(new byte[0], 0))
                            .current()
                            .orElseThrow()
                            .bytes())
                    .isEqualTo(value);
        }
    }

    @Test
    default void anOperationIsExecutedOnceByItsId() throws Exception {
        Caller caller = caller();
        CallOptions options = OPTIONS.withRequestId(RequestId.next());
        AtomicResult first = result(caller.call(KEY, AtomicChange.add(3), options));
        assertThat(result(caller.call(KEY, AtomicChange.add(3), options))).isEqualTo(first);
        assertThat(caller.text()).contains("3");
        DhtException reused = failure(caller.call(KEY, AtomicChange.add(4), options));
        assertThat(reused.code()).isEqualTo(ErrorCode.REQUEST_ID_REUSED);
        RequestId ahead =
                RequestId.of(System.currentTimeMillis() + Duration.ofSeconds(30).toMillis(), 1, 1);
        assertThat(failure(caller.call(KEY, AtomicChange.add(3), OPTIONS.withRequestId(ahead)))
                        .code())
                .isEqualTo(ErrorCode.VERSION_TOO_FAR_AHEAD);
        assertThat(caller.text()).contains("3");
    }

    @Test
    default void anUnknownOutcomeNamesItsRequest() throws Exception {
        RequestId id = RequestId.next();
        IndeterminateException unknown =
                new IndeterminateException(ErrorCode.NO_REPLY, "it may be done").withRequestId(id);
        String address = served(OneAnswerCluster.failing(unknown)).address();
        DhtException failure = failure(api().execute(address, "map", KEY, AtomicChange.add(1), OPTIONS));
        assertThat(failure.code()).isEqualTo(ErrorCode.NO_REPLY);
        assertThat(((IndeterminateException) failure).requestId()).contains(id);
    }

    @Test
    default void aFixedListOfNodesRefusesAtomicOperations() {
        DhtException refused = failure(api().execute(address(0), "map", KEY, AtomicChange.add(1), OPTIONS));
        assertThat(refused.code()).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(refused).hasMessageContaining("atomic operations need a cluster that agrees on its nodes");
    }

    @Test
    default void aPolicyOfAnAtomicOperationIsRefused() throws Exception {
        Caller caller = caller();
        DhtException refused = failure(caller.call(KEY, AtomicChange.add(1), OPTIONS.withPolicy(1, 1)));
        assertThat(refused.code()).isEqualTo(ErrorCode.POLICY_INVALID);
        assertThat(caller.text()).isEmpty();
    }
}
