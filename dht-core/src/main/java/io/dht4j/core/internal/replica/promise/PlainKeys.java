package io.dht4j.core.internal.replica.promise;

import io.dht4j.AtomicMap;
import io.dht4j.core.internal.atomic.RegisterCodec;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;

/** The plain entries of an earlier version in the key space of registers, where they would be taken for registers. */
final class PlainKeys {

    private PlainKeys() {}

    /**
     * Refuses a store with such entries. Blocks as the store does.
     *
     * @throws StoreException if there are any, or the store cannot be read
     */
    static void refuse(Store store) {
        long found = 0;
        try (EntryCursor entries = store.scan(AtomicMap.KEYS)) {
            while (entries.hasNext()) {
                found += isPlain(entries.next()) ? 1 : 0;
            }
        }
        if (found > 0) {
            throw new StoreException(found + " keys in the store begin with \\0atomic/, which atomic operations"
                    + " use: start the earlier version again, write these entries under other keys, and delete these"
                    + " keys");
        }
    }

    private static boolean isPlain(Entry entry) {
        try {
            RegisterCodec.register(entry);
            return false;
        } catch (IllegalArgumentException e) {
            return true;
        }
    }
}
