package io.dht4j.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TcpTransportOptionsTest {

    private final TcpTransportOptions options = TcpTransportOptions.at("127.0.0.1", 0);

    @Test
    void optionsOutOfRangeAreNamedWithValueAndRange() {
        assertThatThrownBy(() -> TcpTransportOptions.at("127.0.0.1", 65_536))
                .hasMessage("port must be 0 to 65535, not 65536");
        assertThatThrownBy(() -> TcpTransportOptions.at(" ", 1)).hasMessageContaining("host");
        assertThatThrownBy(() -> options.withConnectionsPerPeer(0))
                .hasMessage("connectionsPerPeer must be 1 to 256, not 0");
        assertThatThrownBy(() -> options.withHelloTimeout(Duration.ZERO))
                .hasMessage("helloTimeout must be 100ms to 10m, not 0s");
        assertThatThrownBy(() -> options.withMaxFrameBytes(0)).hasMessageContaining("maxFrameBytes must be 1024 to");
        assertThatThrownBy(() -> options.withConnectTimeout(Duration.ZERO))
                .hasMessage("connectTimeout must be 1ms to 10m, not 0s");
    }

    @Test
    void tlsWithoutAnOwnCertificateIsRefused() {
        assertThatThrownBy(() -> options.withTls(TlsFiles.trusting(Path.of("ca.pem"))))
                .hasMessageContaining("needs a certificate");
    }

    @Test
    void everyOptionKeepsTheOthers() {
        TcpTransportOptions changed = options.withConnectionsPerPeer(3)
                .withHelloTimeout(Duration.ofSeconds(4))
                .withMemory(MemoryBudget.ofHeap().part(3))
                .withEventLoops(5)
                .withIdleTimeout(Duration.ofSeconds(6));
        assertThat(changed.connectionsPerPeer()).isEqualTo(3);
        assertThat(changed.helloTimeout()).isEqualTo(Duration.ofSeconds(4));
        assertThat(changed.eventLoops()).isEqualTo(5);
        assertThat(changed.listener().idleTimeout()).isEqualTo(Duration.ofSeconds(6));
        assertThat(changed.limits().maxInFlightBytes())
                .isEqualTo(MemoryBudget.ofHeap().part(3).frameBytes(17 << 20));
    }
}
