package io.dht4j.lab.workload;

/**
 * Chooses sizes. The choices depend on the seed alone. Does not allocate. Confined to one thread: each thread has a
 * chooser with a seed of its own.
 */
@FunctionalInterface
public interface SizeChooser {

    /**
     * Chooses a size.
     *
     * @return bytes, 0 or more
     */
    int next();
}
