package io.dht4j.transport.grpc;

import java.util.concurrent.TimeUnit;

/** Waiting while closing: bounded, and through interrupts, which are kept for the caller. */
final class GrpcTransportAwait {

    private GrpcTransportAwait() {}

    /** Something that can be waited for. */
    @FunctionalInterface
    interface Termination {

        /** True if it came within the time. */
        boolean await(long time, TimeUnit unit) throws InterruptedException;
    }

    /** Waits until a moment by {@link System#nanoTime()}. False if it had not come by then. */
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
