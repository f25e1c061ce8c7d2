package io.dht4j.testkit.store;

import io.dht4j.spi.Store;

/** What the suites of the stores' contract need. */
interface StoreSuite {

    /** Returns the store under test, which is open. */
    Store store();
}
