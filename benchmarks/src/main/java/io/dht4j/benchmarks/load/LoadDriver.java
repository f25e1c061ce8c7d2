package io.dht4j.benchmarks.load;

import java.io.IOException;

/** Runs a load, in this process or in another one. */
@FunctionalInterface
public interface LoadDriver {

    /**
     * Runs a load. Blocks until its time is over and what was sent has ended.
     *
     * @param spec what to offer
     * @return what came of it, also if operations failed
     * @throws IOException if the process that runs it has died or does not answer
     * @throws InterruptedException if the thread is interrupted; the load is stopped then
     */
    LoadResult run(LoadSpec spec) throws IOException, InterruptedException;
}
