package io.dht4j.lab;

import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.Store;
import java.nio.file.Path;

/**
 * A store to measure. The implementing class is public, with a public constructor without parameters, so that the lab
 * can load it by its name.
 *
 * <p>A placement or hash function needs no candidate: the class that implements {@link io.dht4j.spi.Placement} or
 * {@link io.dht4j.spi.HashFunction} is loaded itself.
 */
public interface StoreCandidate {

    /**
     * Returns the name in reports and on the command line.
     *
     * @return 1 to 32 of the letters a to z, digits and hyphens, beginning with a letter; the same at each call
     */
    String name();

    /**
     * Opens the store of one node. Blocks until it can be used. Each call returns another store, which the lab closes.
     *
     * @param directory an existing directory for the store alone; a restarted node opens the same one again
     * @param memory how much memory each part of the node may take
     * @return the store
     * @throws Exception if it cannot be opened
     */
    Store open(Path directory, MemoryBudget memory) throws Exception;
}
