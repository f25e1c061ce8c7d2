package io.dht4j.transport.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class ConnectionCountsTest {

    @Test
    void anIpv6NetworkIsOneSource() throws UnknownHostException {
        assertThat(source("2001:db8::1")).isEqualTo(source("2001:db8::ffff:1")).isNotEqualTo(source("2001:db8:0:1::1"));
        assertThat(source("192.0.2.1")).isEqualTo(source("192.0.2.1")).isNotEqualTo(source("192.0.2.2"));
        assertThat(CallerNetwork.of(null)).isEqualTo(CallerNetwork.of(null));
    }

    private static CallerNetwork source(String address) throws UnknownHostException {
        return CallerNetwork.of(InetAddress.getByName(address));
    }

    @Test
    void aCountReportsWhatIsOneTooManyUntilItBeginsAgain() {
        FloodCount count = new FloodCount(2);
        assertThat(count.isOneTooMany()).isFalse();
        assertThat(count.isOneTooMany()).isFalse();
        assertThat(count.isOneTooMany()).isTrue();
        count.reset();
        assertThat(count.isOneTooMany()).isFalse();
    }
}
