package io.dht4j.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.KeyRange;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Store;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The content of a store as reported to a listener: the initial entries, with all added and without all removed ones.
 */
final class RecordingListener implements ContentListener {
    private final Map<Entry, Integer> counts = new ConcurrentHashMap<>();

    @Override
    public void added(Entry entry) {
        counts.merge(entry, 1, RecordingListener::sum);
    }

    @Override
    public void removed(Entry entry) {
        counts.merge(entry, -1, RecordingListener::sum);
    }

    @Override
    public void replaced(Entry before, Entry after) {
        assertThat(after.key()).isEqualTo(before.key());
        removed(before);
        added(after);
    }

    private static @Nullable Integer sum(int one, int other) {
        return one + other == 0 ? null : one + other;
    }

    /** Returns the reported content. */
    Set<Entry> entries() {
        return counts.keySet();
    }

    void begin(Store store) {
        try (EntryCursor held = store.follow(this)) {
            held.forEachRemaining(this::added);
        }
    }

    void assertReports(Store store) {
        store.settle();
        assertThat(counts.values()).containsOnly(1);
        assertThat(counts.keySet()).containsExactlyInAnyOrderElementsOf(Entries.scanned(store, KeyRange.all()));
    }
}
