package io.dht4j.transport.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.netty.shaded.io.netty.buffer.PooledByteBufAllocator;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a test class after which a buffer was found that nobody had released. Registered for all of this module. */
public final class LeakCheck implements AfterAllCallback {

    private static final int ROUNDS = 30;
    private static final int ROUND_MILLIS = 1_000;

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        // Leaks are found once the buffer is collected, and reported when the next one is allocated.
        for (int i = 0; i < 2; i++) {
            awaitCollection();
            for (int j = 0; j < 200; j++) {
                PooledByteBufAllocator.DEFAULT.buffer(16).release();
            }
        }
        List<String> reports = List.copyOf(LeakRecorder.REPORTS);
        LeakRecorder.REPORTS.clear();
        assertThat(reports).isEmpty();
    }

    /** What is collected is told by a thread of the JVM, which may take its time. */
    private static void awaitCollection() throws InterruptedException {
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        WeakReference<Object> garbage = new WeakReference<>(new Object(), collected);
        boolean told = false;
        for (int i = 0; i < ROUNDS && !told; i++) {
            System.gc();
            told = collected.remove(ROUND_MILLIS) != null;
        }
        Reference.reachabilityFence(garbage);
        assertThat(told).as("garbage is collected").isTrue();
    }
}
