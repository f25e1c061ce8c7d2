package io.dht4j.store.memory;

import io.dht4j.spi.Store;
import io.dht4j.testkit.store.StoreContract;
import java.nio.file.Path;

class MemoryStoreTest extends StoreContract {

    @Override
    protected Store open(Path directory) {
        return new MemoryStore();
    }
}
