package io.dht4j.lab.workload;

/**
 * Chooses keys. The choices depend on the seed and the size of the {@link KeySpace} alone. Does not allocate. Confined
 * to one thread: each thread has a chooser with a seed of its own.
 */
@FunctionalInterface
public interface KeyChooser {

    /**
     * Chooses a key.
     *
     * @return 0 to the size of the space, exclusive
     */
    long next();
}
