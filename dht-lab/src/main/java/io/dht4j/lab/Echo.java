package io.dht4j.lab;

import java.util.concurrent.CompletionStage;

/**
 * Client and server of a bare networking library on this machine, with a server that returns each request. Safe for use
 * by any number of threads.
 */
public interface Echo extends AutoCloseable {

    /**
     * Sends a request to the server. Does not block.
     *
     * @param request up to a few kilobytes; neither side changes it
     * @return a stage that completes with the same bytes, on any thread
     */
    CompletionStage<byte[]> call(byte[] request);

    /** Stops client and server. Blocks for a bounded time. */
    @Override
    void close();
}
