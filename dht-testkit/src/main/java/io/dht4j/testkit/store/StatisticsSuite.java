package io.dht4j.testkit.store;

import static io.dht4j.testkit.store.Entries.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.dht4j.Key;
import io.dht4j.NodeGauges.Bounded;
import io.dht4j.StoreStatistics;
import io.dht4j.StoreStatistics.Work;
import io.dht4j.spi.StoreException;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Statistics, of a store that has any. A part of {@link StoreContract}. */
interface StatisticsSuite extends StoreSuite {

    @Test
    default void statisticsAreInTheirRangesAndTotalsNeverDecrease() {
        assumeTrue(store().statistics().isPresent(), "the store has no statistics");
        StoreStatistics before = store().statistics().orElseThrow();
        for (int i = 0; i < 1000; i++) {
            store().apply(List.of(value("key-" + i, i + 1L, "a value of some length")));
        }
        StoreStatistics written = store().statistics().orElseThrow();
        for (int i = 0; i < 1000; i++) {
            store().get(Key.of("key-" + i));
            store().get(Key.of("key-" + i));
        }
        store().settle();
        StoreStatistics after = store().statistics().orElseThrow();

        requireOrder(before, written);
        requireOrder(written, after);
        assertThat(Stream.of(before, written, after)).allSatisfy(statistics -> {
            requireBounded(statistics.tables());
            assertThat(statistics.mapBytes()).isNotNegative();
            assertThat(statistics.logBytes()).isNotNegative();
            statistics.entryCache().ifPresent(cache -> requireBounded(cache.memory()));
            statistics.pageCache().ifPresent(cache -> {
                requireBounded(cache.memory());
                assertThat(cache.hitRatio()).isBetween(0.0, 1.0);
            });
        });
        // Each write is in a table, in the log's files or in the map's.
        assertThat(after.tables().used() + after.mapBytes()).isGreaterThan(20_000);
        after.entryCache()
                .ifPresent(cache -> assertThat(cache.hits() + cache.misses())
                        .isEqualTo(2000 + before.entryCache().orElseThrow().misses()));
    }

    private static void requireOrder(StoreStatistics before, StoreStatistics after) {
        List<Function<StoreStatistics, Work>> kinds = List.of(
                StoreStatistics::commits,
                StoreStatistics::fsyncs,
                StoreStatistics::merges,
                StoreStatistics::compactions,
                StoreStatistics::writeStalls);
        for (Function<StoreStatistics, Work> kind : kinds) {
            Work earlier = kind.apply(before);
            Work later = kind.apply(after);
            assertThat(earlier.count()).isBetween(0L, later.count());
            assertThat(earlier.nanos()).isBetween(0L, later.nanos());
            assertThat(earlier.bytes()).isBetween(0L, later.bytes());
        }
    }

    private static void requireBounded(Bounded amount) {
        assertThat(amount.used()).isNotNegative();
        assertThat(amount.limit()).isPositive();
    }

    @Test
    default void aClosedStoreHasNoStatistics() {
        assumeTrue(store().statistics().isPresent(), "the store has no statistics");
        store().close();

        assertThatExceptionOfType(StoreException.class).isThrownBy(() -> store().statistics());
    }
}
