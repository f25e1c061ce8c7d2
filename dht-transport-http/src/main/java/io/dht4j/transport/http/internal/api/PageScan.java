package io.dht4j.transport.http.internal.api;

import io.dht4j.Key;
import io.dht4j.KeyValue;
import io.dht4j.Scan;
import io.dht4j.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Entries in memory as a scan of one page. Belongs to one event loop. */
final class PageScan implements Scan {

    private List<KeyValue> page;

    private PageScan(List<KeyValue> page) {
        this.page = page;
    }

    /** Returns the keys that have values, in the order of {@code keys}. */
    static PageScan of(List<Key> keys, Map<Key, Value> values) {
        List<KeyValue> page = new ArrayList<>(values.size());
        for (Key key : keys) {
            Value value = values.get(key);
            if (value != null) {
                page.add(new KeyValue(key, value));
            }
        }
        return new PageScan(page);
    }

    @Override
    public CompletionStage<List<KeyValue>> next() {
        List<KeyValue> entries = page;
        page = List.of();
        return CompletableFuture.completedFuture(entries);
    }

    @Override
    public void close() {
        page = List.of();
    }
}
