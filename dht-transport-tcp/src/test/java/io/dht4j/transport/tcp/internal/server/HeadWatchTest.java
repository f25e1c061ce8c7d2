package io.dht4j.transport.tcp.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeadWatchTest {

    private final HeadWatch heads = new HeadWatch(100);

    @Test
    void aHeadThatTakesLongIsSlowHoweverManyBytesComeOneByOne() {
        for (int now = 0; now <= 100; now += 10) {
            heads.received(true, 5, now);
            assertThat(heads.isSlow(now)).isFalse();
        }
        heads.received(true, 5, 110);
        assertThat(heads.isSlow(110)).isTrue();
        heads.received(false, 6, 120);
        assertThat(heads.isSlow(1_000)).isFalse();
    }

    @Test
    void headsThatAreAlwaysCutAreNotSlow() {
        for (int records = 0; records < 100; records++) {
            heads.received(true, records, 60L * records);
            assertThat(heads.isSlow(60L * records + 59)).isFalse();
        }
        assertThat(heads.isSlow(60 * 99 + 101)).isTrue();
    }

    @Test
    void aConnectionOverWhichNothingHasComeHasNoSlowHead() {
        assertThat(heads.isSlow(1_000)).isFalse();
    }
}
