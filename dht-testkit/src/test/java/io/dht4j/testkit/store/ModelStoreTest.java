package io.dht4j.testkit.store;

import io.dht4j.spi.Store;
import java.nio.file.Path;

class ModelStoreTest extends StoreContract {

    @Override
    protected Store open(Path directory) {
        return new ModelStore();
    }
}
