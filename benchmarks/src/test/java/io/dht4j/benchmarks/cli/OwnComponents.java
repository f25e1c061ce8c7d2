package io.dht4j.benchmarks.cli;

import io.dht4j.Topology;
import io.dht4j.core.Placements;
import io.dht4j.lab.StoreCandidate;
import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Placement;
import io.dht4j.spi.Store;
import io.dht4j.store.memory.MemoryStore;
import java.nio.file.Path;

/** Components as a user has them, on the class path of these tests. */
public final class OwnComponents {

    private OwnComponents() {}

    /** A placement. */
    public static final class Modulo implements Placement {
        @Override
        public String name() {
            return "own";
        }

        @Override
        public PartitionTable assign(Topology topology, int partitions) {
            return Placements.modulo().assign(topology, partitions);
        }
    }

    /** A store with the name of a built-in one. */
    public static final class Memory implements StoreCandidate {
        @Override
        public String name() {
            return "memory";
        }

        @Override
        public Store open(Path directory, MemoryBudget memory) {
            return new MemoryStore(memory.memoryStoreBytes());
        }
    }
}
