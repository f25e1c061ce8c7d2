package io.dht4j.server.config;

import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.spi.HintLog;
import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.RefillMarker;
import io.dht4j.spi.Store;
import io.dht4j.store.hints.FileHintLog;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.store.mvstore.Durability;
import io.dht4j.store.mvstore.MvStore;
import io.dht4j.store.mvstore.MvStoreOptions;
import io.dht4j.store.mvstore.Rebuild;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The store of a node's entries.
 *
 * @param kind the store
 * @param data directory of its files; not used by the memory store
 * @param durability what an acknowledged write survives; not used by the memory store
 * @param refillWithout nodes that a refill does not read; not used by the memory store
 */
public record StoreChoice(Kind kind, Path data, Durability durability, Set<NodeId> refillWithout) {

    private static final long HINT_BYTES = 256L << 20;

    /** The kinds of store. */
    public enum Kind {
        /** On disk. */
        MVSTORE,
        /** In memory, gone when the process ends. */
        MEMORY
    }

    static StoreChoice of(SettingsReader given, NodeId id, MembershipChoice membership) throws ConfigException {
        Kind kind = given.choice(Setting.STORE, Kind.class);
        if (kind == Kind.MEMORY) {
            String reason = "with " + Setting.STORE.option() + " memory, which keeps nothing on disk";
            given.refuse(Setting.DATA, reason);
            given.refuse(Setting.DURABILITY, reason);
            given.refuse(Setting.REFILL_WITHOUT, reason);
            if (membership.isAgreed()) {
                throw new ConfigException(Setting.STORE.option()
                        + " memory keeps no identity, and each start would be another node of a cluster whose nodes may"
                        + " change: take " + Setting.STORE.option() + " mvstore, or fix the nodes with "
                        + Setting.PEERS.option());
            }
        }
        if (membership.isAgreed()) {
            given.refuse(
                    Setting.REFILL_WITHOUT,
                    "with " + Setting.BOOTSTRAP.option() + " or " + Setting.JOIN.option()
                            + ": nodes whose data is lost are replaced by ./dht nodes replace");
        }
        return new StoreChoice(
                kind,
                given.readOr(Setting.DATA, "dht-data/" + id, SettingsReader::path),
                given.choice(Setting.DURABILITY, Durability.class),
                given.find(Setting.REFILL_WITHOUT, text -> others(text, id, membership.nodes()))
                        .orElse(Set.of()));
    }

    /**
     * Returns a notice of the place of the entries, which reveals a mistyped directory and a store in memory. Reads the
     * disk, so it must be called before the store is opened. Blocks.
     *
     * @param isDataGiven whether the user has chosen the directory
     * @return a line that is true once the store is open; empty for a chosen directory that exists
     */
    public Optional<String> notice(boolean isDataGiven) {
        if (kind == Kind.MEMORY) {
            return Optional.of("everything is kept in memory only and is gone when this server ends; without "
                    + Setting.STORE.option() + " memory it is kept on disk");
        }
        Path directory = data.toAbsolutePath().normalize();
        String another = isDataGiven ? "" : "; " + Setting.DATA.option() + " DIR chooses another one";
        if (Files.notExists(directory)) {
            return Optional.of("created the data directory " + directory + ", which was not there" + another);
        }
        return isDataGiven ? Optional.empty() : Optional.of("the data directory is " + directory + another);
    }

    private static Set<NodeId> others(String text, NodeId id, Topology topology) {
        Set<NodeId> nodes = new LinkedHashSet<>();
        for (String name : text.split(",", -1)) {
            NodeId node = new NodeId(name.strip());
            if (node.equals(id) || topology.node(node).isEmpty()) {
                throw new IllegalArgumentException("expected names of other nodes, not \"" + node + "\"");
            }
            nodes.add(node);
        }
        return nodes;
    }

    /** Returns the marker of the partitions that must be refilled from other replicas before they are read. */
    public RefillMarker refillMarker() {
        return kind == Kind.MEMORY ? RefillMarker.none() : Rebuild.marker(data);
    }

    /**
     * Opens the log of writes that other nodes missed, beside a store on disk. Blocks.
     *
     * @return empty with a store in memory, where hints are kept in memory too
     */
    public Optional<HintLog> openHints() {
        return kind == Kind.MEMORY
                ? Optional.empty()
                : Optional.of(FileHintLog.open(data.resolve("hints"), HINT_BYTES));
    }

    /** Opens the store with its shares of the memory. Blocks. */
    public Store open(MemoryBudget memory) {
        return switch (kind) {
            case MEMORY -> new MemoryStore(memory.memoryStoreBytes());
            case MVSTORE -> MvStore.open(data, MvStoreOptions.of(memory).withDurability(durability));
        };
    }
}
