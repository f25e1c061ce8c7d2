package io.dht4j.examples.server;

import io.dht4j.NodeId;
import io.dht4j.spi.HintLog;
import io.dht4j.spi.Store;
import io.dht4j.store.hints.FileHintLog;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.store.mvstore.Durability;
import io.dht4j.store.mvstore.MvStore;
import io.dht4j.store.mvstore.MvStoreOptions;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What keeps a node's entries.
 *
 * @param kind the store
 * @param data directory of its files; not used by the memory store
 * @param durability what an acknowledged write survives; not used by the memory store
 */
public record StoreChoice(Kind kind, Path data, Durability durability) {

    private static final long HINT_BYTES = 256L << 20;

    /** Stores. */
    public enum Kind {
        /** On disk. */
        MVSTORE,
        /** In memory, gone when the process ends. */
        MEMORY
    }

    static StoreChoice of(Given given, NodeId id) throws ConfigException {
        Kind kind = given.choice(Setting.STORE, Kind.class);
        if (kind == Kind.MEMORY) {
            String reason = "with " + Setting.STORE.option() + " memory, which keeps nothing on disk";
            given.refuse(Setting.DATA, reason);
            given.refuse(Setting.DURABILITY, reason);
        }
        return new StoreChoice(
                kind,
                given.readOr(Setting.DATA, "dht-data/" + id, Given::path),
                given.choice(Setting.DURABILITY, Durability.class));
    }

    /**
     * Opens the log of what other nodes missed, beside a store on disk. Blocks.
     *
     * @return empty with a store in memory, where such things are kept in memory too
     */
    Optional<HintLog> openHints() {
        return kind == Kind.MEMORY
                ? Optional.empty()
                : Optional.of(FileHintLog.open(data.resolve("hints"), HINT_BYTES));
    }

    /** Opens it. Blocks. */
    Store open() {
        return switch (kind) {
            case MEMORY -> new MemoryStore();
            case MVSTORE -> MvStore.open(data, MvStoreOptions.defaults().withDurability(durability));
        };
    }
}
