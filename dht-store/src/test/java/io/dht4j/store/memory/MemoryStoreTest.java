package io.dht4j.store.memory;

import io.dht4j.spi.Store;
import io.dht4j.testkit.store.StoreContract;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;

@Tag("jdk")
class MemoryStoreTest extends StoreContract {

    @Override
    protected Store open(Path directory) {
        return new MemoryStore();
    }
}
