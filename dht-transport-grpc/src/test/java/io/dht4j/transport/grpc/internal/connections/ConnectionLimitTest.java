package io.dht4j.transport.grpc.internal.connections;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
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
    void lastPlacesAreForAddressesThatHaveFew() throws Exception {
        ConnectionLimit limit = new ConnectionLimit(64, 40);
        for (int port = 1; port <= 40; port++) {
            assertThat(limit.enter(at("10.0.0.1", port))).isTrue();
        }
        for (int port = 1; port <= 20; port++) {
            assertThat(limit.enter(at("10.0.0.2", port))).isTrue();
        }
        assertThat(limit.enter(at("10.0.0.2", 21))).isFalse();
        for (int host = 3; host <= 6; host++) {
            assertThat(limit.enter(at("10.0.0." + host, 1))).isTrue();
            assertThat(limit.enter(at("10.0.0." + host, 2))).isFalse();
        }
        assertThat(limit.enter(at("10.0.0.7", 1))).isFalse();
        assertThat(limit.open()).isEqualTo(64);
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
    void connectionsLeaveFilesForOthersAndTheOperatorIsTold() {
        List<String> warnings = new ArrayList<>();
        ConnectionLimit limit =
                ConnectionLimit.of("here:1", 10_000, OptionalInt.empty(), OptionalLong.of(1024), warnings::add);
        assertThat(limit.max()).isEqualTo(256);
        assertThat(limit.maxPerAddress()).isEqualTo(128);
        assertThat(warnings)
                .containsExactly(
                        "here:1 takes at most 256 connections, not 10000: this process may have 1024 files open,"
                                + " of which connections to one port may use a quarter. Raise the limit (ulimit -n)"
                                + " to at least 40000, or lower maxConnections");
        assertThat(ConnectionLimit.of("here:1", 70, OptionalInt.empty(), OptionalLong.of(1024), warnings::add)
                        .maxPerAddress())
                .isEqualTo(70);
        warnings.clear();
        ConnectionLimit enough =
                ConnectionLimit.of("here:1", 100, OptionalInt.of(7), OptionalLong.of(1024), warnings::add);
        assertThat(enough.max()).isEqualTo(100);
        assertThat(enough.maxPerAddress()).isEqualTo(7);
        assertThat(ConnectionLimit.of("here:1", 100, OptionalInt.of(7), OptionalLong.empty(), warnings::add)
                        .max())
                .isEqualTo(100);
        assertThat(warnings).isEmpty();
    }

    private static InetSocketAddress at(String address, int port) throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByName(address), port);
    }
}
