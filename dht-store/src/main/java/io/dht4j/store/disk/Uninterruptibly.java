package io.dht4j.store.disk;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;

/**
 * Defers interrupts while I/O on a channel runs, because an interrupt of the calling thread closes the channel. Only
 * for work that opens its own channel and may be repeated.
 */
public final class Uninterruptibly {

    private Uninterruptibly() {}

    /** Work that may be repeated. */
    @FunctionalInterface
    public interface Io<T> {
        T run() throws IOException;
    }

    /**
     * Runs work, and repeats it if an interrupt has closed its channel. The thread's interrupt status is kept.
     *
     * @param <T> the type of the result
     * @param work the work
     * @return its result
     * @throws IOException the failure of the work
     */
    public static <T> T call(Io<T> work) throws IOException {
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
