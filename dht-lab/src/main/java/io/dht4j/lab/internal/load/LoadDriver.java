package io.dht4j.lab.internal.load;

import java.io.IOException;

/** Runs a load, in this process or in another one. */
@FunctionalInterface
public interface LoadDriver {

    /**
     * Runs a load. Blocks until its time is over and the operations in flight have ended.
     *
     * @param spec the load
     * @return the result, also if operations failed
     * @throws IOException if the process that runs it has ended or gives no answer
     * @throws InterruptedException if the thread is interrupted, which stops the load
     */
    LoadResult run(LoadSpec spec) throws IOException, InterruptedException;
}
