package io.dht4j.store.mvstore;

import io.dht4j.spi.StoreException;
import java.nio.file.Path;

/** Opens a store, says how that went, and keeps it open until it is killed. */
final class OpeningProcess {

    private OpeningProcess() {}

    public static void main(String[] arguments) throws Exception {
        try (MvStore store = MvStore.open(Path.of(arguments[0]), MvStoreOptions.defaults())) {
            System.out.println("open");
            System.out.println(System.in.read());
            System.out.println(store.entries());
        } catch (StoreException e) {
            System.out.println("refused: " + e.getMessage());
        }
    }
}
