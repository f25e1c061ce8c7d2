package io.dht4j.store.mvstore.internal.map;

import java.util.function.Supplier;

/** Runs reads while the store is open. Safe for use by any number of threads. */
@FunctionalInterface
public interface ReadGuard {

    /**
     * Runs a read.
     *
     * @param <T> the type of its result
     * @param read the read
     * @return its result
     * @throws io.dht4j.spi.StoreException if the store is closed
     */
    <T> T reading(Supplier<T> read);
}
