package io.dht4j.store.mvstore.internal.log;

import io.dht4j.spi.Entry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The entries of one caller; without entries, a request to freeze the active table. Its thread waits for its end. */
final class WriteRequest {

    final List<Entry> entries;
    final long bytes;
    final Thread thread = Thread.currentThread();

    /** Set by the leader, after {@link #failure}. */
    volatile boolean done;

    @Nullable
    Throwable failure;

    WriteRequest(List<Entry> entries, long bytes) {
        this.entries = entries;
        this.bytes = bytes;
    }
}
