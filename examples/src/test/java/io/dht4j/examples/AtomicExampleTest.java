package io.dht4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Cluster;
import io.dht4j.Codec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AtomicExampleTest {

    private final OneAgreedNode node = new OneAgreedNode();
    private final Cluster cluster = node.cluster;

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void aRequestIsClaimedOnce() {
        assertThat(AtomicExample.claim(cluster, "r")).isTrue();
        assertThat(AtomicExample.claim(cluster, "r")).isFalse();
        assertThat(AtomicExample.claim(cluster, "other")).isTrue();
    }

    @Test
    void onlyAPaidOrderIsShippedAndOnce() {
        assertThat(AtomicExample.ship(cluster, "o")).isFalse();
        cluster.atomicMap("orders", Codec.text(), Codec.text()).sync().put("o", "paid");
        assertThat(AtomicExample.ship(cluster, "o")).isTrue();
        assertThat(AtomicExample.ship(cluster, "o")).isFalse();
    }

    @Test
    void visitsAreCounted() {
        assertThat(AtomicExample.countVisit(cluster)).isEqualTo(1);
        assertThat(AtomicExample.countVisit(cluster)).isEqualTo(2);
    }
}
