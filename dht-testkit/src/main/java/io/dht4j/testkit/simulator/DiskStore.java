package io.dht4j.testkit.simulator;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Store;
import io.dht4j.testkit.ModelStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A store that logs on a {@link SimulatedDisk} before it shows, and begins with what the disk still has: the promise of a durable store, without
 * files. Confined to the simulation's thread.
 */
final class DiskStore implements Store {

    private final ModelStore shown = new ModelStore();
    private final SimulatedDisk disk;
    private final boolean memoryFast;
    private final Version newestAtOpen;

    DiskStore(SimulatedDisk disk, boolean memoryFast) {
        this.disk = disk;
        this.memoryFast = memoryFast;
        // What is shown must not be lost any more, though nobody acknowledged it.
        disk.sync();
        List<Entry> found = disk.content();
        shown.apply(found);
        newestAtOpen =
                found.stream().map(Entry::version).max(Version::compareTo).orElse(new Version(0));
    }

    @Override
    public Optional<Entry> get(Key key) {
        return shown.get(key);
    }

    @Override
    public void apply(List<Entry> entries) {
        // A closed store takes nothing, its disk neither.
        shown.entries();
        disk.append(entries);
        disk.sync();
        shown.apply(entries);
    }

    @Override
    public EntryCursor scan(KeyRange range) {
        return shown.scan(range);
    }

    @Override
    public long purge(Predicate<Entry> dispensable) {
        List<Entry> over = new ArrayList<>();
        try (EntryCursor cursor = shown.scan(KeyRange.all())) {
            while (cursor.hasNext()) {
                Entry entry = cursor.next();
                if (dispensable.test(entry)) {
                    over.add(entry);
                }
            }
        }
        disk.purge(over);
        return shown.purge(over::contains);
    }

    @Override
    public EntryCursor follow(ContentListener listener) {
        return shown.follow(listener);
    }

    @Override
    public void settle() {
        shown.settle();
    }

    @Override
    public void keepNote(String name, byte[] bytes) {
        shown.entries();
        disk.keepNote(name, bytes);
    }

    @Override
    public Optional<byte[]> note(String name) {
        return disk.note(name);
    }

    @Override
    public long entries() {
        return shown.entries();
    }

    @Override
    public void bind(String placement) {
        shown.bind(placement);
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

    @Override
    public void close() {
        shown.close();
    }
}
