package io.dht4j.transport.http.internal.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.PooledByteBufAllocator;
import org.junit.jupiter.api.Test;

class LeakCheckTest {

    @Test
    void aBufferThatNobodyReleasesIsFound() throws InterruptedException {
        LeakCheck check = new LeakCheck();
        PooledByteBufAllocator.DEFAULT.buffer(16);

        assertThat(check.find()).anyMatch(report -> report.contains("LEAK"));
        assertThat(check.find()).isEmpty();
    }
}
