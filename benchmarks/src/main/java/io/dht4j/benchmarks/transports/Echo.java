package io.dht4j.benchmarks.transports;

import java.util.concurrent.CompletionStage;

/** A bare library's client and server in one process over loopback. The server sends each request back. */
public interface Echo extends AutoCloseable {

    /**
     * Sends a request. Neither blocks nor throws.
     *
     * @param request the bytes to send
     * @return the same bytes
     */
    CompletionStage<byte[]> call(byte[] request);

    /** Stops client and server. Blocks. */
    @Override
    void close();
}
