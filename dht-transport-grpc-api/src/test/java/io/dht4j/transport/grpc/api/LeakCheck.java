package io.dht4j.transport.grpc.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.testkit.leaks.Garbage;
import io.grpc.netty.shaded.io.netty.buffer.PooledByteBufAllocator;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a test class after which a buffer was found that nobody had released. Registered for all of this module. */
public final class LeakCheck implements AfterAllCallback {

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        // Leaks are found once the buffer is collected, and reported when the next one is allocated.
        for (int i = 0; i < 2; i++) {
            Garbage.collect();
            for (int j = 0; j < 200; j++) {
                PooledByteBufAllocator.DEFAULT.buffer(16).release();
            }
        }
        List<String> reports = List.copyOf(LeakRecorder.REPORTS);
        LeakRecorder.REPORTS.clear();
        assertThat(reports).isEmpty();
    }
}
