package io.dht4j.store.mvstore.internal.map;

import io.dht4j.spi.Entry;
import io.dht4j.store.disk.Disk;
import io.dht4j.store.mvstore.internal.disk.Fsync;
import java.nio.file.Path;

/** The content of the map's file in a store's directory, for tests while the store is closed. */
public final class MapContent {

    /** The size of a fragment; longer values are fragmented. */
    public static final int FRAGMENT_BYTES = LargeValues.FRAGMENT_BYTES;

    private MapContent() {}

    private static MapFile open(Path directory) {
        return MapFile.open(directory.resolve("data.mv"), Disk.REAL, new Fsync(Disk.REAL), false, 1 << 20);
    }

    /** Returns the number of fragments. */
    public static long fragments(Path directory) {
        MapFile map = open(directory);
        try {
            return map.largeValues.root().getTotalCount();
        } finally {
            map.abandon();
        }
    }

    /** Puts an entry of any size unfragmented, as older releases did. */
    public static void putWhole(Path directory, Entry entry) {
        MapFile map = open(directory);
        map.entries.put(entry.key(), new MapValue(entry.version().packed(), false, Entry.NEVER, entry.value()));
        map.close();
    }
}
