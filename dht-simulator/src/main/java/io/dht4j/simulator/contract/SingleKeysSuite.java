package io.dht4j.simulator.contract;

import static io.dht4j.simulator.contract.RemoteApiSuite.awkwardKeys;
import static io.dht4j.simulator.contract.Results.bytes;
import static io.dht4j.simulator.contract.Results.failure;
import static io.dht4j.simulator.contract.Results.result;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Ordering;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Single keys: values of any bytes, and options that reach the coordinator. A part of {@link RemoteApiContract}. */
interface SingleKeysSuite extends RemoteApiSuite {

    @Test
    default void whatWasPutThroughOneNodeIsGotThroughAnother() {
        Version version = result(api().put(address(0), KEY, bytes("value"), OPTIONS));
        Value value = result(api().get(address(1), KEY, OPTIONS)).orElseThrow();
        assertThat(value.text()).isEqualTo("value");
        assertThat(value.version()).isEqualTo(version);
        assertThat(value.expiresAt()).isEmpty();
    }

    @Test
    default void aKeyThatIsMissingReadsAsEmpty() {
        assertThat(result(api().get(address(0), Key.of("nobody wrote this"), OPTIONS)))
                .isEmpty();
    }

    @Test
    default void aDeletedKeyReadsAsEmptyAndTheDeleteHasANewerVersion() {
        Version put = result(api().put(address(0), KEY, bytes("value"), EVERYWHERE));
        Version delete = result(api().delete(address(1), KEY, EVERYWHERE));
        assertThat(delete).isGreaterThan(put);
        assertThat(result(api().get(address(2), KEY, OPTIONS))).isEmpty();
    }

    @Test
    default void keysOfAnyBytesAreKeptApart() {
        List<Key> keys = awkwardKeys();
        for (int i = 0; i < keys.size(); i++) {
            result(api().put(address(i % 3), keys.get(i), bytes("value " + i), EVERYWHERE));
        }
        for (int i = 0; i < keys.size(); i++) {
            Optional<Value> direct = result(clusters().get(0).get(keys.get(i)));
            assertThat(direct.map(Value::text)).as("key %s", keys.get(i)).contains("value " + i);
            assertThat(result(api().get(address(0), keys.get(i), OPTIONS))).isEqualTo(direct);
        }
    }

    @Test
    default void valuesOfAnyBytesAndSizeComeBackAsTheyWere() {
        for (int size : new int[] {0, 1, 100, 4_096, 4_097, 65_536, 1 << 20, MAX_VALUE_BYTES}) {
            byte[] value = new byte[size];
            new SplittableRandom(size).nextBytes(value);
            Key key = Key.of("value of " + size);
            result(api().put(address(0), key, value, OPTIONS));
            byte[] read =
                    result(api().get(address(1), key, OPTIONS)).orElseThrow().bytes();
            assertThat(Arrays.equals(read, value)).as("%d bytes", size).isTrue();
        }
    }

    @Test
    default void aTimeToLiveReachesTheStore() {
        CallOptions options = EVERYWHERE.withTimeToLive(Duration.ofHours(1));
        result(api().put(address(0), KEY, bytes("value"), options));
        Value value = result(api().get(address(1), KEY, OPTIONS)).orElseThrow();
        assertThat(value.expiresAt()).isPresent();
        assertThat(result(clusters().get(2).get(KEY))).contains(value);

        result(api().putAll(address(0), Map.of(KEY, bytes("other")), options));
        Value other = result(api().getAll(address(1), List.of(KEY), OPTIONS)).get(KEY);
        assertThat(Optional.ofNullable(other))
                .isEqualTo(result(clusters().get(2).get(KEY)));
        assertThat(result(api().get(address(2), KEY, OPTIONS)).orElseThrow().expiresAt())
                .isPresent();
    }

    @Test
    default void thePolicyReachesTheCoordinator() {
        for (int from = 1; from <= 3; from++) {
            Key key = Key.of("from " + from);
            result(api().put(address(0), key, bytes("value"), OPTIONS.withPolicy(from, from)));
            int holders = 0;
            for (int node = 0; node < 3; node++) {
                holders += result(api().scan(address(node), KeyRange.from(key), ScanScope.NODE, 1, OPTIONS)).stream()
                        .filter(entry -> entry.key().equals(key))
                        .toList()
                        .size();
            }
            assertThat(holders)
                    .as("nodes that hold a key written %d/%d", from, from)
                    .isEqualTo(from);
        }
    }

    @Test
    default void theOrderingReachesTheCoordinator() {
        for (Ordering ordering : Ordering.values()) {
            Key key = Key.of("ordered " + ordering);
            CallOptions options = OPTIONS.withOrdering(ordering);
            Version written = result(api().put(address(0), key, bytes("value"), options));
            assertThat(result(api().get(address(1), key, options)).map(Value::version))
                    .contains(written);
            Version deleted = result(api().delete(address(2), key, options));
            assertThat(deleted).isGreaterThan(written);
            assertThat(result(api().getAll(address(1), List.of(key), options))).isEmpty();
        }
        CallOptions aMinority = OPTIONS.withPolicy(1, 3).withOrdering(Ordering.LINEARIZABLE);
        DhtException refused = failure(api().put(address(0), KEY, bytes("value"), aMinority));
        assertThat(refused.code()).isEqualTo(ErrorCode.POLICY_INVALID);
        assertThat(refused).hasMessageContaining("ack=1");
    }

    @Test
    default void manyCallsAtATimeEachGetTheirOwnAnswer() {
        List<CompletionStage<Version>> puts = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            puts.add(api().put(address(i % 3), Key.of("many " + i), bytes("value " + i), EVERYWHERE));
        }
        puts.forEach(Results::result);
        List<CompletionStage<Optional<Value>>> gets = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            gets.add(api().get(address(i % 3), Key.of("many " + i), OPTIONS));
        }
        for (int i = 0; i < gets.size(); i++) {
            assertThat(result(gets.get(i)).map(Value::text)).contains("value " + i);
        }
    }
}
