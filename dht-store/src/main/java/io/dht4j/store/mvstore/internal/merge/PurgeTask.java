package io.dht4j.store.mvstore.internal.merge;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.spi.Entry;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** A purge of the map, which proceeds in steps. */
final class PurgeTask {

    final Predicate<Entry> dispensable;
    final CompletableFuture<Long> result = new CompletableFuture<>();

    // For the merging thread.
    Key next = KeyRange.all().start();
    long removed;

    PurgeTask(Predicate<Entry> dispensable) {
        this.dispensable = dispensable;
    }
}
