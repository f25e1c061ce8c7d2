package io.dht4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ScheduledTaskLocksTest {

    private final OneAgreedNode node = new OneAgreedNode();

    @AfterEach
    void close() {
        node.close();
    }

    private Optional<SimpleLock> lock(Duration atLeast) {
        return new ScheduledTaskLocks(node.cluster)
                .lock(new LockConfiguration(Instant.now(), "task", Duration.ofMinutes(1), atLeast));
    }

    @Test
    void oneProcessRunsATask() {
        SimpleLock running = lock(Duration.ZERO).orElseThrow();
        assertThat(lock(Duration.ZERO)).isEmpty();
        running.unlock();
        assertThat(lock(Duration.ZERO)).isPresent();
    }

    @Test
    void aTaskMayStayLockedAfterItsEnd() {
        lock(Duration.ofSeconds(30)).orElseThrow().unlock();
        assertThat(lock(Duration.ZERO)).isEmpty();
    }
}
