package io.dht4j.transport.common.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SharedOptionsTest {

    private static final class Peers extends PeerTransportOptions<Peers> {

        Peers(Settings settings) {
            super(settings);
        }

        static Peers at(String host, int port) {
            return new Peers(Settings.of(new ListenAddress(host, port), true));
        }

        @Override
        protected Peers with(Settings changed) {
            return new Peers(changed);
        }
    }

    private static final class Remote extends RemoteApiOptions<Remote> {

        Remote(Settings settings) {
            super(settings);
        }

        static Remote defaults() {
            return new Remote(Settings.defaults());
        }

        @Override
        protected Remote with(Settings changed) {
            return new Remote(changed);
        }
    }

    private static final class Api extends PublicApiOptions<Api> {

        Api(Settings settings) {
            super(settings);
        }

        static Api defaults() {
            return new Api(Settings.defaults());
        }

        @Override
        protected Api with(Settings changed) {
            return new Api(changed);
        }
    }

    @Test
    void aChangedOptionLeavesAllOthersAlone() {
        Peers before = Peers.at("127.0.0.1", 1)
                .withMaxConnectionsPerAddress(7)
                .withDrainTimeout(Duration.ofSeconds(9))
                .withConnectTimeout(Duration.ofSeconds(8));
        Peers after = before.withMaxInFlight(3).withIdleTimeout(Duration.ofSeconds(20));

        assertThat(after.limits())
                .isEqualTo(new PeerTransportOptions.Limits(
                        before.limits().maxFrameBytes(),
                        before.limits().maxQueuedPerPeer(),
                        before.limits().maxQueuedBytesPerPeer(),
                        3,
                        before.limits().maxInFlightBytes()));
        assertThat(after.listener().connections()).isEqualTo(before.listener().connections());
        assertThat(after.listener().drainTimeout()).isEqualTo(Duration.ofSeconds(9));
        assertThat(after.connectTimeout()).isEqualTo(Duration.ofSeconds(8));
        assertThat(after.keepAlive()).isEqualTo(Duration.ofSeconds(10));
        assertThat(before.limits().maxInFlight()).isEqualTo(16_384);
    }

    @Test
    void aMemoryBudgetSetsTheLimitsOfBytesAndNoOthers() {
        MemoryBudget small = new MemoryBudget(128 << 20, 1 << 20);
        Api api = Api.defaults().withMaxInFlight(5).withMemory(small);
        assertThat(api.limits()).isEqualTo(new PublicApiOptions.Limits(1 << 20, 5, 16 << 20, 16 << 20, 10_000));
        Remote remote = Remote.defaults().withMaxInFlight(6).withMemory(small);
        assertThat(remote.limits()).isEqualTo(new RemoteApiOptions.Limits(1 << 20, 6, 16 << 20, 4 << 20, 16 << 20));
        Peers peers = Peers.at("127.0.0.1", 1).withMaxInFlight(7).withMemory(small);
        assertThat(peers.limits()).isEqualTo(new PeerTransportOptions.Limits(17 << 20, 16_384, 17 << 20, 7, 32 << 20));
    }

    @Test
    void refusalsNameOptionRangeAndValue() {
        assertRefused(() -> Peers.at("127.0.0.1", 65_536), "port must be 0 to 65535, not 65536");
        assertRefused(() -> Peers.at(" ", 1), "host must be a name or an address, not \" \"");
        for (String host : List.of("127.0.0.1:7001", "n1:7001", "[::1]:7001")) {
            assertRefused(
                    () -> Peers.at(host, 1), "host must be a name or an address, without a port, not \"" + host + "\"");
        }
        for (String host : List.of("n1", "127.0.0.1", "::", "::1", "[::1]", "fe80::1%eth0")) {
            assertThat(new ListenAddress(host, 1).host()).isEqualTo(host);
        }
        assertRefused(() -> Api.defaults().withMaxConnections(0), "maxConnections must be 1 to 1000000, not 0");
        assertRefused(() -> Api.defaults().withWriteTimeout(Duration.ZERO), "writeTimeout must be 1ms to 1h, not 0s");
        assertRefused(() -> Remote.defaults().withMaxPageBytes(1), "maxPageBytes must be 1024 to 1073741824, not 1");
        assertRefused(
                () -> Remote.defaults().withToken("short secret"),
                "token must be 16 to 512 characters of printable ASCII without spaces, not 12 of which 1 are others");
        assertRefused(
                () -> Remote.defaults().withToken("short"),
                "token must be 16 to 512 characters of printable ASCII without spaces, not 5");
    }

    @Test
    void aBudgetOfBytesHoldsAtLeastTheLargestOfWhatItIsFor() {
        Remote remote = Remote.defaults().withMaxValueBytes(5000).withMaxInFlightBytes(5000);
        assertThat(remote.limits().maxInFlightBytes()).isEqualTo(5000);
        assertRefused(
                () -> remote.withMaxInFlightBytes(4999),
                "maxInFlightBytes must be at least maxValueBytes, which is 5000, not 4999");
        assertRefused(
                () -> remote.withMaxValueBytes(5001),
                "maxInFlightBytes must be at least maxValueBytes, which is 5001, not 5000");
        assertRefused(
                () -> Api.defaults().withMaxValueBytes(5000).withMaxBodyBytesInFlight(4999),
                "maxBodyBytesInFlight must be at least maxValueBytes, which is 5000, not 4999");
        assertRefused(
                () -> Peers.at("127.0.0.1", 1).withMaxFrameBytes(5000).withMaxInFlightBytes(4999),
                "maxInFlightBytes must be at least maxFrameBytes, which is 5000, not 4999");
    }

    @Test
    void tlsNeedsTheFilesOfItsPurpose() {
        TlsFiles authorities = TlsFiles.trusting(Path.of("ca.pem"));
        assertRefused(
                () -> Peers.at("127.0.0.1", 1).withTls(authorities),
                "tls between nodes needs a certificate and its key");
        assertRefused(() -> Api.defaults().withTls(authorities), "tls of a listener needs a certificate and its key");
        assertThat(Remote.defaults().withTls(authorities).security().tls()).contains(authorities);
    }

    private static void assertRefused(Runnable action, String message) {
        assertThatIllegalArgumentException().isThrownBy(action::run).withMessage(message);
    }

    @Test
    @SuppressWarnings("NullAway")
    void missingHostIsNamed() {
        assertThatNullPointerException().isThrownBy(() -> Peers.at(null, 1)).withMessage("host");
    }
}
