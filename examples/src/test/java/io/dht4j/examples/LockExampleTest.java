package io.dht4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.DhtLock;
import io.dht4j.HeldLock;
import io.dht4j.Key;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LockExampleTest {

    private final OneAgreedNode node = new OneAgreedNode();

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void aReportIsWrittenByOneAtATime() {
        DhtLock lock = node.cluster.lock("locks", Key.of("report"));
        assertThat(LockExample.writeReport(lock)).isTrue();
        HeldLock held =
                lock.sync().tryLock(Duration.ZERO, Duration.ofSeconds(10)).orElseThrow();
        assertThat(LockExample.writeReport(lock)).isFalse();
        held.close();
        assertThat(LockExample.writeReport(lock)).isTrue();
    }
}
