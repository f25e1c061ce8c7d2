package io.dht4j.simulator.cluster.rollback;

import io.dht4j.spi.Store;
import io.dht4j.testkit.store.ForwardingStore;
import java.util.function.Consumer;

/** A store that reports each purge watermark file that it is given to keep. */
final class FenceStore extends ForwardingStore {

    private final Consumer<byte[]> kept;

    FenceStore(Store store, Consumer<byte[]> kept) {
        super(store);
        this.kept = kept;
    }

    @Override
    public void keepNote(String name, byte[] bytes) {
        super.keepNote(name, bytes);
        if (name.equals("fence")) {
            kept.accept(bytes);
        }
    }
}
