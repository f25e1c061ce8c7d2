package io.dht4j.simulator.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Scan;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Remote scans end, and show what is there, whatever a server answers. */
class LyingServerTest {

    private static final Duration BOUND = Duration.ofMinutes(1);
    private static final int PAGE = 10;
    private static final KeyRange RANGE = KeyRange.between(Key.of("key"), Key.of("kez"));

    /** What a server makes of an honest page. */
    enum Lie {
        OUT_OF_ORDER(page -> {
            List<KeyValue> reversed = new ArrayList<>(page);
            Collections.reverse(reversed);
            return reversed;
        }),
        TWICE(page -> List.of(page.get(0), page.get(0))),
        THE_SAME_FOREVER(page -> List.of(entry("key000"))),
        BEFORE_THE_START(page -> List.of(entry("a"))),
        BEHIND_THE_RANGE(page -> List.of(page.get(0), entry("kez"))),
        MORE_THAN_ASKED_FOR(page -> {
            List<KeyValue> more = new ArrayList<>(page);
            more.add(entry("key999"));
            return more;
        });

        private final UnaryOperator<List<KeyValue>> page;

        Lie(UnaryOperator<List<KeyValue>> page) {
            this.page = page;
        }
    }

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1);
    private final ScriptedApi api = new ScriptedApi(env);
    private final RemoteCluster cluster = env.await(
            RemoteCluster.connecting(
                    api, List.of("a:1", "b:1"), RemoteOptions.defaults().withScanPageSize(PAGE), env),
            BOUND);
    private final String preferred = api.askedOf("status").get(0);

    private static KeyValue entry(String key) {
        return new KeyValue(Key.of(key), new Value(new byte[1], new Version(1), Optional.empty()));
    }

    @BeforeEach
    void fill() {
        for (int i = 0; i < 3 * PAGE; i++) {
            api.entries.add(entry("key%03d".formatted(i)));
        }
    }

    @ParameterizedTest
    @EnumSource(Lie.class)
    void anotherServerIsAskedInPlaceOfOneThatLies(Lie lie) {
        Scan scan = cluster.scan(RANGE);
        List<KeyValue> shown = new ArrayList<>(env.await(scan.next(), BOUND));
        api.lies.put(preferred, lie.page);
        env.await(scan.forEach(shown::add), BOUND);
        assertThat(shown).isEqualTo(api.entries);
    }

    @ParameterizedTest
    @EnumSource(Lie.class)
    void aScanFailsIfAllServersLie(Lie lie) {
        Scan scan = cluster.scan(RANGE);
        env.await(scan.next(), BOUND);
        api.lies.put("a:1", lie.page);
        api.lies.put("b:1", lie.page);
        for (int i = 0; i < 2; i++) {
            assertThat(failureOf(scan)).satisfies(failure -> {
                assertThat(failure.code()).isEqualTo(ErrorCode.INTERNAL);
                assertThat(failure).hasMessageContaining("its answer is not what it should be");
            });
        }
        assertThat(api.askedOf("scan")).hasSize(3);
    }

    @ParameterizedTest
    @EnumSource(Lie.class)
    void aScanOfASnapshotIsAsCareful(Lie lie) {
        api.lies.put(preferred, lie == Lie.THE_SAME_FOREVER ? page -> List.of(entry("a")) : lie.page);
        List<KeyValue> shown = new ArrayList<>();
        env.await(
                cluster.snapshot(new Version(1))
                        .scan(RANGE, CallOptions.defaults())
                        .forEach(shown::add),
                BOUND);
        assertThat(shown).isEqualTo(api.entries);
    }

    @Test
    void replyWithAnUnrequestedKeyIsReadElsewhere() {
        api.addsForeignKeys.add(preferred);
        Key key = Key.of("key000");
        assertThat(env.await(cluster.getAll(List.of(key)), BOUND)).containsOnlyKeys(key);
        assertThat(api.askedOf("getAll")).hasSize(2);
    }

    private DhtException failureOf(Scan scan) {
        try {
            throw new AssertionError("expected a failure, not " + env.await(scan.next(), BOUND));
        } catch (DhtException e) {
            return e;
        }
    }
}
