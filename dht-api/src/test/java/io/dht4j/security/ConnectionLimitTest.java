package io.dht4j.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ConnectionLimitTest {

    @Test
    void oneAddressCannotTakeThePlacesOfOthers() throws Exception {
        ConnectionLimit limit = new ConnectionLimit(10, 3);
        for (int port = 1; port <= 3; port++) {
            assertThat(limit.enter(at("10.0.0.1", port))).isTrue();
        }
        assertThat(limit.enter(at("10.0.0.1", 4))).isFalse();
        assertThat(limit.enter(at("10.0.0.2", 4))).isTrue();
        assertThat(limit.open()).isEqualTo(4);
        limit.leave(at("10.0.0.1", 2));
        assertThat(limit.enter(at("10.0.0.1", 4))).isTrue();
    }

    @Test
    void allAddressesTogetherHaveNoMoreThanAllPlaces() throws Exception {
        ConnectionLimit limit = new ConnectionLimit(2, 3);
        assertThat(limit.enter(at("10.0.0.1", 1))).isTrue();
        assertThat(limit.enter(null)).isTrue();
        assertThat(limit.enter(at("10.0.0.3", 1))).isFalse();
        limit.leave(null);
        assertThat(limit.enter(at("10.0.0.3", 1))).isTrue();
    }

    @Test
    void addressesOfOneIpv6NetworkAreOneCaller() throws Exception {
        ConnectionLimit limit = new ConnectionLimit(10, 1);
        assertThat(limit.enter(at("2001:db8:0:1::1", 1))).isTrue();
        assertThat(limit.enter(at("2001:db8:0:1:ffff::2", 1))).isFalse();
        assertThat(limit.enter(at("2001:db8:0:2::1", 1))).isTrue();
    }

    @Test
    void whoHasLeftIsForgotten() throws Exception {
        ConnectionLimit limit = new ConnectionLimit(10, 2);
        for (int host = 1; host <= 100; host++) {
            assertThat(limit.enter(at("10.0.0." + host, 1))).isTrue();
            limit.leave(at("10.0.0." + host, 1));
        }
        assertThat(limit.callers()).isZero();
        assertThat(limit.open()).isZero();
    }

    @Test
    void theCountStaysRightWhenManyThreadsComeAndGo() throws Exception {
        ConnectionLimit limit = new ConnectionLimit(5, 3);
        AtomicInteger excess = new AtomicInteger();
        AtomicInteger inside = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            InetSocketAddress address = at("10.0.0." + i % 2, 1);
            threads.add(new Thread(() -> {
                for (int round = 0; round < 2000; round++) {
                    if (limit.enter(address)) {
                        if (inside.incrementAndGet() > 5) {
                            excess.incrementAndGet();
                        }
                        inside.decrementAndGet();
                        limit.leave(address);
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(excess).hasValue(0);
        assertThat(limit.open()).isZero();
        assertThat(limit.callers()).isZero();
    }

    @Test
    void aLimitOfNoneIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ConnectionLimit(0, 1))
                .withMessage("connections must be 1 or more, not 0 in all and 1 per address");
        assertThatIllegalArgumentException().isThrownBy(() -> new ConnectionLimit(1, 0));
    }

    private static InetSocketAddress at(String address, int port) throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByName(address), port);
    }
}
