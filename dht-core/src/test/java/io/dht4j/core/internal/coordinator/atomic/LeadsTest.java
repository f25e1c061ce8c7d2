package io.dht4j.core.internal.coordinator.atomic;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.coordinator.atomic.Leads.Lead;
import io.dht4j.spi.Entry;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LeadsTest {

    private static final int EACH = 10_000;

    private final Leads leads = new Leads(10L * EACH);

    private static Lead lead(int key, long ballot) {
        return new Lead(
                new Version(ballot),
                Entry.value(Key.of("k" + key), new Version(1), new byte[EACH - 300], Entry.NEVER),
                1);
    }

    private long held() {
        return IntStream.range(0, 1_000)
                .filter(i -> leads.take(Key.of("k" + i)).isPresent())
                .count();
    }

    @Test
    void aLeadIsTakenOnce() {
        leads.put(lead(1, 5));
        leads.put(lead(1, 6));
        assertThat(leads.take(Key.of("k1"))).contains(lead(1, 6));
        assertThat(leads.take(Key.of("k1"))).isEmpty();
    }

    @Test
    void onlyTheLeadOfThatBallotIsDropped() {
        leads.put(lead(1, 5));
        leads.drop(Key.of("k1"), new Version(4));
        leads.drop(Key.of("k2"), new Version(5));
        assertThat(held()).isOne();
        leads.put(lead(1, 5));
        leads.drop(Key.of("k1"), new Version(5));
        assertThat(held()).isZero();
    }

    @Test
    void theLeastRecentlyUsedAreDropped() {
        for (int i = 0; i < 1_000; i++) {
            leads.put(lead(i, 5));
            leads.take(Key.of("k" + i % 7));
            leads.put(lead(0, i));
        }
        assertThat(leads.take(Key.of("k0"))).contains(lead(0, 999));
        assertThat(leads.take(Key.of("k999"))).isPresent();
        assertThat(leads.take(Key.of("k900"))).isEmpty();
        assertThat(held()).isBetween(7L, 8L);
    }
}
