package io.dht4j.benchmarks.transports;

import java.util.concurrent.CompletionStage;

/** A bare library's client and server in one process over loopback. The server sends each request back. */
interface Echo extends AutoCloseable {

    CompletionStage<byte[]> call(byte[] request);

    @Override
    void close();
}
