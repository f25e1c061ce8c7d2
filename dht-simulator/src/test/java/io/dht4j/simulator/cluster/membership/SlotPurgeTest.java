package io.dht4j.simulator.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.membership.state.Phase;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.simulator.cluster.BlockingStore;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The owner of a slot that moves has purged: the heir refuses and purges what it does. */
class SlotPurgeTest extends MovingSlot {

    /** All replicas have purged up to this version, of a minute before the test. */
    private static final Version PURGED = Version.of(VirtualEnvironment.START_MILLIS - 60_000, 0);

    SlotPurgeTest() {
        super((i, store) -> {
            if (i < HEIR) {
                keepWatermarks(store, PURGED);
            }
        });
    }

    private static void keepWatermarks(BlockingStore store, Version purged) {
        ByteBuffer note = ByteBuffer.allocate(2 * Long.BYTES * AgreedCluster.PARTITIONS);
        note.putLong(Long.BYTES * MOVED, purged.packed());
        note.putLong(Long.BYTES * (AgreedCluster.PARTITIONS + MOVED), purged.packed());
        store.keepNote("fence", note.array());
    }

    @Test
    void heirRefusesWhatTheOwnerRefusesAsTooOld() {
        Key key = agreed.key(MOVED);
        move(Phase.COPY, HEIR);
        awaitComplete();
        Entry late = value(key, Version.of(PURGED.millis() - 1000, 0));
        assertThat(write(late).toString()).contains("VERSION_TOO_OLD");
        assertHoldsNone(HEIR, List.of(key));
    }

    @Test
    void hintThatTheOwnerRefusesIsRefusedFromTheFirstMomentOn() {
        Key key = agreed.keys(MOVED, 30).get(29);
        Entry late = value(key, Version.of(PURGED.millis() - 1000, 0));
        put(agreed.keys(MOVED, 20), 1, ALL);
        // It answers for its watermarks, and delivers no page.
        agreed.stores.get(OWNER).broken = true;
        move(Phase.COPY, HEIR);
        assertThat(write(late)).isInstanceOf(Reply.Failed.class);
        cluster.env.advance(Duration.ofSeconds(5));
        assertThat(isComplete()).isFalse();
        assertThat(write(late).toString()).contains("VERSION_TOO_OLD");
        agreed.stores.get(OWNER).broken = false;
        awaitComplete();
        assertHoldsNone(HEIR, List.of(key));
    }

    @Test
    void heirIsNotTakenForARolledBackDisk() {
        put(agreed.keys(MOVED, 20), 1, ALL);
        move(Phase.COPY, HEIR);
        cluster.env.advance(Duration.ofMinutes(3));
        awaitComplete();
        move(Phase.BOTH, HEIR);
        move(Phase.STABLE, HEIR);
        cluster.env.advance(Duration.ofMinutes(3));
        agreed.restart(HEIR);
        cluster.env.advance(Duration.ofMinutes(3));
        assertThat(cluster.await(cluster.node(HEIR).status()).refill().partitions())
                .isZero();
        assertHolds(HEIR, agreed.keys(MOVED, 20), 1);
    }
}
