package io.dht4j.testkit.store;

import static io.dht4j.testkit.store.Entries.NOW;
import static io.dht4j.testkit.store.Entries.scanned;
import static io.dht4j.testkit.store.Entries.tombstone;
import static io.dht4j.testkit.store.Entries.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Purges remove old dead entries, and no others. A part of {@link StoreContract}. */
interface PurgesSuite extends StoreSuite {

    @Test
    default void aPurgeRemovesDeadEntriesThatAreOldAndNoOthers() {
        Entry live = value("live", 1, "x");
        Entry later = Entry.value(Key.of("later"), new Version(1), new byte[1], NOW + 1);
        Entry newTombstone = tombstone("new", 10);
        store().apply(List.of(
                live,
                later,
                newTombstone,
                tombstone("old", 9),
                Entry.value(Key.of("expired"), new Version(2), new byte[1], NOW)));

        assertThat(store().purge(new Version(10), NOW)).isEqualTo(2);

        assertThat(scanned(store(), KeyRange.all())).containsExactly(later, live, newTombstone);
        assertThat(store().get(Key.of("old"))).isEmpty();
        assertThat(store().entries()).isEqualTo(3);
        assertThat(store().purge(new Version(10), NOW)).isZero();
    }

    @Test
    default void whatAPurgedTombstoneHadDeletedDoesNotComeBack() {
        store().apply(List.of(value("a", 1, "x")));
        store().purge(new Version(0), NOW);
        store().apply(List.of(tombstone("a", 3)));
        store().apply(List.of(value("a", 2, "late")));

        assertThat(store().purge(new Version(10), NOW)).isEqualTo(1);

        assertThat(store().get(Key.of("a"))).isEmpty();
        assertThat(scanned(store(), KeyRange.all())).isEmpty();
        store().apply(List.of(value("a", 4, "new")));
        assertThat(store().get(Key.of("a"))).contains(value("a", 4, "new"));
    }
}
