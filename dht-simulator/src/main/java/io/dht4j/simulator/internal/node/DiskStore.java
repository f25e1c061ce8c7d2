package io.dht4j.simulator.internal.node;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.testkit.store.ModelStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A durable store without files: it logs entries on a {@link SimulatedDisk} before it shows them, and begins with the
 * content of the disk. Confined to the simulation's thread.
 */
final class DiskStore extends ForwardingStore {

    private final SimulatedDisk disk;
    private final boolean memoryFast;
    private final Version newestAtOpen;

    DiskStore(SimulatedDisk disk, boolean memoryFast) {
        super(new ModelStore());
        this.disk = disk;
        this.memoryFast = memoryFast;
        // Shown entries must stay durable, even those never acknowledged.
        disk.sync();
        List<Entry> found = disk.content();
        super.apply(found);
        newestAtOpen =
                found.stream().map(Entry::version).max(Version::compareTo).orElse(new Version(0));
    }

    @Override
    public void apply(List<Entry> entries) {
        // A closed store refuses entries before they reach the disk.
        entries();
        disk.append(entries);
        disk.sync();
        super.apply(entries);
    }

    @Override
    public long purge(Predicate<Entry> dispensable) {
        List<Entry> over = new ArrayList<>();
        try (EntryCursor cursor = scan(KeyRange.all())) {
            while (cursor.hasNext()) {
                Entry entry = cursor.next();
                if (dispensable.test(entry)) {
                    over.add(entry);
                }
            }
        }
        disk.purge(over);
        return super.purge(over::contains);
    }

    @Override
    public long drop(Predicate<Key> dropped) {
        entries();
        disk.drop(dropped);
        return super.purge(entry -> dropped.test(entry.key()));
    }

    @Override
    public void keepNote(String name, byte[] bytes) {
        entries();
        disk.keepNote(name, bytes);
    }

    @Override
    public Optional<byte[]> note(String name) {
        return disk.note(name);
    }

    @Override
    public void bind(String placement) {
        disk.bind(placement);
    }

    @Override
    public Version newestAtOpen() {
        return newestAtOpen;
    }

    @Override
    public boolean isMemoryFast() {
        return memoryFast;
    }

    @Override
    public String name() {
        return "disk";
    }
}
