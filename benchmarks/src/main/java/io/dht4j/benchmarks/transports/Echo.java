package io.dht4j.benchmarks.transports;

import java.util.concurrent.CompletionStage;

/** A library's client and server by themselves, in one process over loopback: what comes is sent back. */
interface Echo extends AutoCloseable {

    CompletionStage<byte[]> call(byte[] request);

    @Override
    void close();
}
