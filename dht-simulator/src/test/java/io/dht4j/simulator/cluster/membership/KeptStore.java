package io.dht4j.simulator.cluster.membership;

import io.dht4j.spi.StoreException;
import io.dht4j.spi.StoreSpace;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.testkit.store.ModelStore;
import java.util.Optional;
import java.util.function.Consumer;

/** A store whose content outlives it, as a disk does: entries, notes, and the description by which it is bound. */
final class KeptStore extends ForwardingStore {

    private final ModelStore disk;
    private Optional<String> bound;

    /** Called with the name of each note, before and after it is stored. */
    Consumer<String> aroundNotes = name -> {};

    /** What the store reports about its size and its room. */
    Optional<StoreSpace> space = Optional.empty();

    KeptStore() {
        this(new ModelStore(), Optional.empty());
    }

    private KeptStore(ModelStore disk, Optional<String> bound) {
        super(disk);
        this.disk = disk;
        this.bound = bound;
    }

    /** Opens the same disk again. */
    KeptStore reopened() {
        return new KeptStore(disk, bound);
    }

    @Override
    public void bind(String placement) {
        if (bound.isPresent() && !bound.get().equals(placement)) {
            throw new StoreException("the store is bound to \"" + bound.get() + "\", not to \"" + placement + "\"");
        }
        bound = Optional.of(placement);
    }

    @Override
    public void keepNote(String name, byte[] bytes) {
        aroundNotes.accept(name);
        super.keepNote(name, bytes);
        aroundNotes.accept(name);
    }

    @Override
    public Optional<StoreSpace> space() {
        return space;
    }

    @Override
    public void close() {
        // The disk stays.
    }
}
