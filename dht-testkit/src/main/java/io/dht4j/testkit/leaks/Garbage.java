package io.dht4j.testkit.leaks;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/** Garbage collection for tests that detect leaked resources. */
public final class Garbage {

    private static final int ROUNDS = 30;
    private static final int ROUND_MILLIS = 1_000;

    private Garbage() {}

    /**
     * Collects the present garbage and waits until a thread of the JVM has processed its references. Blocks.
     *
     * @throws IllegalStateException if no garbage was collected within 30 seconds
     * @throws InterruptedException if the thread is interrupted
     */
    public static void collect() throws InterruptedException {
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        WeakReference<Object> garbage = new WeakReference<>(new Object(), collected);
        try {
            for (int i = 0; i < ROUNDS; i++) {
                System.gc();
                if (collected.remove(ROUND_MILLIS) != null) {
                    return;
                }
            }
        } finally {
            Reference.reachabilityFence(garbage);
        }
        throw new IllegalStateException("no garbage was collected in " + ROUNDS + " rounds; is System.gc() disabled?");
    }
}
