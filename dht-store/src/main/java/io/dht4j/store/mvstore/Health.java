package io.dht4j.store.mvstore;

import io.dht4j.spi.StoreException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a store may still be written. The first failure decides; there is no way back but to open the store again, which
 * finds out what reached the disk.
 */
final class Health {

    private static final Logger LOG = LoggerFactory.getLogger(Health.class);

    /** What helps when a file is damaged. */
    private static final String REBUILD =
            "restore the directory from a backup, or write its entries again from the other replicas, as docs/stores.md says";

    private final AtomicReference<@Nullable StoreException> failure = new AtomicReference<>();
    private final Path directory;

    Health(Path directory) {
        this.directory = directory;
    }

    /** An error about damage that nothing in this directory can repair. */
    static StoreException damaged(Path file, String what) {
        return new StoreException(file + ": " + what + "; " + REBUILD);
    }

    /** An error about damage that nothing in this directory can repair. */
    static StoreException damaged(Path file, String what, Throwable cause) {
        return new StoreException(file + ": " + what + "; " + REBUILD, cause);
    }

    /** Ends writing. */
    void fail(StoreException error) {
        if (failure.compareAndSet(null, error)) {
            LOG.error("store {} refuses writes from now on: {}", directory, error.getMessage(), error);
        }
    }

    boolean isFailed() {
        return failure.get() != null;
    }

    /** Throws if writing has ended. */
    void checkWritable() {
        StoreException error = failure.get();
        if (error != null) {
            throw new StoreException(
                    "store " + directory + " refuses writes since it failed: " + error.getMessage()
                            + " (to try again, open the store anew)",
                    error);
        }
    }
}
