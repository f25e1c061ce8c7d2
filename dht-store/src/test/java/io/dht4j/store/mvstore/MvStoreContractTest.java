package io.dht4j.store.mvstore;

import io.dht4j.spi.Store;
import io.dht4j.testkit.store.DurableStoreContract;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contract, for both durabilities, and for tables so small that they are merged all the time. */
class MvStoreContractTest {

    @Nested
    @Tag("full")
    class WithDurabilityOs extends DurableStoreContract {
        @Override
        protected Store open(Path directory) {
            return MvStore.open(directory, MvStoreOptions.defaults());
        }
    }

    @Nested
    class WithDurabilityFsync extends DurableStoreContract {
        @Override
        protected Store open(Path directory) {
            return MvStore.open(directory, MvStoreOptions.defaults().withDurability(Durability.FSYNC));
        }
    }

    @Nested
    class WithTinyTables extends DurableStoreContract {
        @Override
        protected Store open(Path directory) {
            return MvStore.open(
                    directory,
                    MvStoreOptions.defaults()
                            .withMemtableBytes(MvStoreOptions.MIN_MEMTABLE_BYTES)
                            .withCacheBytes(MvStoreOptions.MIN_CACHE_BYTES)
                            .withMaxFrozen(1));
        }
    }
}
