package io.dht4j.store.mvstore.internal.map;

import io.dht4j.spi.Entry;
import org.h2.mvstore.MVMap;
import org.jspecify.annotations.Nullable;

/** Puts an entry only if it supersedes the map's. */
final class KeepNewest extends MVMap.DecisionMaker<MapValue> {

    private final MapFile map;
    private final Entry entry;

    KeepNewest(MapFile map, Entry entry) {
        this.map = map;
        this.entry = entry;
    }

    @Override
    public MVMap.Decision decide(@Nullable MapValue existing, MapValue provided) {
        return existing == null || supersedes(map, entry, existing) ? MVMap.Decision.PUT : MVMap.Decision.ABORT;
    }

    static boolean supersedes(MapFile map, Entry entry, MapValue existing) {
        int byVersion = Long.compareUnsigned(entry.version().packed(), existing.version());
        if (byVersion != 0) {
            return byVersion > 0;
        }
        @Nullable Entry held = map.entry(entry.key(), existing);
        return held == null || entry.supersedes(held);
    }
}
