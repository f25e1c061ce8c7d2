package io.dht4j.transport.tcp.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.transport.common.CallerNetwork;
import io.dht4j.transport.common.options.ConnectionLimits;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ConnectionPlacesTest {

    private static final class Caller implements ConnectionPlaces.Guest {

        private final CallerNetwork network;
        private boolean mustLeave;

        Caller(String address) {
            try {
                network = CallerNetwork.of(InetAddress.getByName(address));
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException(address, e);
            }
        }

        @Override
        public CallerNetwork network() {
            return network;
        }

        @Override
        public void giveWay() {
            mustLeave = true;
        }
    }

    private static List<Caller> enter(ConnectionPlaces places, int count, String network) {
        List<Caller> callers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Caller caller = new Caller(network + i);
            assertThat(places.enter(caller)).isTrue();
            callers.add(caller);
        }
        return callers;
    }

    @Test
    void strangersGiveWayTheOldestFirstAndPeersNever() {
        ConnectionPlaces places = new ConnectionPlaces(10, 10);
        List<Caller> callers = enter(places, 10, "10.0.0.");
        places.keep(callers.get(0));
        Caller next = new Caller("10.0.1.1");
        assertThat(places.enter(next)).isTrue();
        assertThat(callers)
                .extracting(caller -> caller.mustLeave)
                .containsExactly(false, true, false, false, false, false, false, false, false, false);
        places.leave(callers.get(1));
        callers.forEach(places::keep);
        places.keep(next);
        assertThat(places.enter(new Caller("10.0.1.2"))).isFalse();
        places.leave(next);
        assertThat(places.enter(new Caller("10.0.1.2"))).isTrue();
        assertThat(places.open()).isEqualTo(10);
    }

    @Test
    void addressOrIpv6NetworkGetsItsShareOnly() {
        ConnectionPlaces places = new ConnectionPlaces(100, 2);
        for (String[] same :
                new String[][] {{"10.0.0.1", "10.0.0.1", "10.0.0.1"}, {"2001:db8::1", "2001:db8::2", "2001:db8::3"}}) {
            Caller first = new Caller(same[0]);
            assertThat(places.enter(first)).isTrue();
            assertThat(places.enter(new Caller(same[1]))).isTrue();
            assertThat(places.enter(new Caller(same[2]))).isFalse();
            places.leave(first);
            assertThat(places.enter(new Caller(same[2]))).isTrue();
        }
        assertThat(places.enter(new Caller("2001:db8:1::1"))).isTrue();
    }

    @Test
    void theLastPlacesAreForAddressesThatHaveFew() {
        ConnectionPlaces places = new ConnectionPlaces(512, 500);
        for (int i = 0; i < 480; i++) {
            Caller busy = new Caller("10.0.0.1");
            assertThat(places.enter(busy)).isTrue();
            places.keep(busy);
        }
        assertThat(places.enter(new Caller("10.0.0.1"))).isFalse();
        assertThat(places.enter(new Caller("10.0.0.2"))).isTrue();
    }

    @Test
    void noConnectionIsAcceptedWhileManyLeave() {
        ConnectionPlaces places = new ConnectionPlaces(16, 16);
        List<Caller> callers = enter(places, 32, "10.0.0.");
        assertThat(places.isCrowded()).isTrue();
        assertThat(callers.subList(0, 16)).allMatch(caller -> caller.mustLeave);
        places.leave(callers.get(0));
        assertThat(places.isCrowded()).isFalse();
        assertThat(places.open()).isEqualTo(31);
        callers.subList(1, 32).forEach(places::leave);
        assertThat(places.open()).isZero();
        // None of those that have gone is still waited for.
        enter(places, 31, "10.0.1.");
        assertThat(places.isCrowded()).isFalse();
    }

    @Test
    void theLimitOfOpenFilesLowersTheNumberAndIsWarnedOf() {
        List<String> warnings = new ArrayList<>();
        ConnectionPlaces places = ConnectionPlaces.of(
                "the transport at h:1", ConnectionLimits.defaults(), OptionalLong.of(40), warnings::add);
        assertThat(warnings).singleElement().asString().contains("the transport at h:1", "10 connections, not 10000");
        List<Caller> callers = enter(places, 10, "10.0.0.");
        callers.forEach(places::keep);
        assertThat(places.enter(new Caller("10.0.1.1"))).isFalse();
    }
}
