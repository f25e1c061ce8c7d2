package io.dht4j.transport.grpc;

import java.util.concurrent.TimeUnit;

/** Waits while closing: for a bounded time, and through interrupts, which are restored for the caller. */
final class GrpcTransportAwait {

    private GrpcTransportAwait() {}

    /** An event that can be awaited. */
    @FunctionalInterface
    interface Termination {

        /** Returns true if the event came within the time. */
        boolean await(long time, TimeUnit unit) throws InterruptedException;
    }

    /**
     * Waits until {@code end}, a moment of {@link System#nanoTime()}. Returns false if the event had not come by then.
     */
    static boolean untilEnd(long end, Termination termination) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return termination.await(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
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
