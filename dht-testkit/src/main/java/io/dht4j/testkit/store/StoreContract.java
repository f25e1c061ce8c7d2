package io.dht4j.testkit.store;

import io.dht4j.spi.Store;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract of every {@link Store}. The test of a store extends this class and opens the store; durable stores
 * extend {@link DurableStoreContract} instead. The contract is composed of suites, one for each subject: entries,
 * scans, purges, drops, listeners, statistics, and concurrent use. Each test has a store of its own in an empty
 * directory.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
public abstract class StoreContract
        implements EntriesSuite,
                ScansSuite,
                PurgesSuite,
                DropsSuite,
                ListenersSuite,
                StatisticsSuite,
                ConcurrentUseSuite {

    /** The empty directory of the test. */
    @TempDir
    protected Path directory;

    private Store store = new ModelStore();

    /** Constructor for subclasses. */
    protected StoreContract() {}

    /**
     * Opens the store under test.
     *
     * @param directory the directory of its files; the same for every call within a test
     * @return an open store
     */
    protected abstract Store open(Path directory);

    /** Opens the store. */
    @BeforeEach
    final void openStore() {
        store = open(directory.resolve("store"));
    }

    /** Closes the store. */
    @AfterEach
    final void closeStore() {
        store.close();
    }

    @Override
    public final Store store() {
        return store;
    }
}
