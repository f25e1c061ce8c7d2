package io.dht4j.testkit.store;

/** The contract of every durable store, in addition to that of every store: all content is there after reopening. */
public abstract class DurableStoreContract extends StoreContract implements ReopeningSuite {

    /** Constructor for subclasses. */
    protected DurableStoreContract() {}

    /** Closes the store and opens it again. */
    @Override
    public final void reopen() {
        closeStore();
        openStore();
    }
}
