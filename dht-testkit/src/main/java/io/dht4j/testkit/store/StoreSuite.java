package io.dht4j.testkit.store;

import io.dht4j.spi.Store;

/** The base of the suites of the stores' contract. */
interface StoreSuite {

    /** Returns the store under test, which is open. */
    Store store();
}
