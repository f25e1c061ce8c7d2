package io.dht4j.store.mvstore;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;

/**
 * Runs I/O on channels, which an interrupt of the calling thread would close, so that the interrupt waits. Only for
 * work that opens its own channel and may be repeated.
 */
final class Uninterruptibly {

    private Uninterruptibly() {}

    /** Work that may be repeated. */
    @FunctionalInterface
    interface Io<T> {
        T run() throws IOException;
    }

    static <T> T call(Io<T> work) throws IOException {
        boolean interrupted = false;
        try {
            while (true) {
                interrupted |= Thread.interrupted();
                try {
                    return work.run();
                } catch (ClosedByInterruptException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
