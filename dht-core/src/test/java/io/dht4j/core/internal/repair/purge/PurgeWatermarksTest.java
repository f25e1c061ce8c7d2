package io.dht4j.core.internal.repair.purge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.testkit.store.ModelStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PurgeWatermarksTest {

    private static final Duration BOUND = Duration.ofSeconds(30);

    /** A write holds the lock until the disk has it, and a session waits behind it. */
    @Test
    void aFenceWatermarkIsReadBesideAWriteAndASession() throws Exception {
        PurgeWatermarks watermarks = new PurgeWatermarks(new ModelStore(), 2, key -> 0);
        watermarks.load();
        watermarks.seal(PartitionSet.of(0), Version.of(1_000, 0));
        watermarks.prepare(PartitionSet.of(0), Version.of(1_000, 0));
        watermarks.applying().lock();
        Thread session = new Thread(() -> watermarks.seal(PartitionSet.of(1), Version.of(2_000, 0)));
        session.start();
        try {
            await().atMost(BOUND).until(() -> session.getState() == Thread.State.WAITING);
            CompletableFuture<Version> fenced = CompletableFuture.supplyAsync(() -> watermarks.fenced(0));
            assertThat(fenced.get(BOUND.toSeconds(), TimeUnit.SECONDS)).isEqualTo(Version.of(1_000, 0));
        } finally {
            watermarks.applying().unlock();
            session.join(BOUND.toMillis());
        }
        assertThat(session.isAlive()).isFalse();
    }
}
