package io.dht4j.testkit.store;

import static io.dht4j.testkit.store.Entries.NOW;
import static io.dht4j.testkit.store.Entries.SEED;
import static io.dht4j.testkit.store.Entries.randomEntries;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A listener learns every change. A part of {@link StoreContract}. */
interface ListenersSuite extends StoreSuite {

    @Test
    default void everyChangeIsReportedToAListener() {
        SplittableRandom random = new SplittableRandom(SEED);
        RecordingListener reported = new RecordingListener();
        reported.begin(store());
        for (int round = 0; round < 200; round++) {
            store().apply(randomEntries(random, random.nextInt(20), 150));
            if (random.nextInt(50) == 0) {
                store().purge(new Version(random.nextInt(8)), NOW);
            }
            if (random.nextInt(50) == 0) {
                reported.assertReports(store());
            }
        }
        reported.assertReports(store());
    }

    @Test
    default void aLaterListenerTakesThePlaceOfTheFirst() {
        SplittableRandom random = new SplittableRandom(SEED);
        RecordingListener first = new RecordingListener();
        first.begin(store());
        store().apply(randomEntries(random, 50, 150));
        store().settle();
        store().apply(randomEntries(random, 50, 150));
        RecordingListener later = new RecordingListener();
        later.begin(store());
        store().apply(randomEntries(random, 50, 150));
        store().purge(new Version(4), NOW);

        later.assertReports(store());
        store().apply(List.of(Entry.value(Key.of("last"), new Version(1), new byte[0], Entry.NEVER)));
        store().settle();
        assertThat(first.entries()).isNotEmpty();
        assertThat(first.entries()).noneMatch(entry -> entry.key().equals(Key.of("last")));
    }
}
