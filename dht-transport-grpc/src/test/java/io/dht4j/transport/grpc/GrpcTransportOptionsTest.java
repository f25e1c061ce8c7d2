package io.dht4j.transport.grpc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.spi.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class GrpcTransportOptionsTest {

    private final GrpcTransportOptions options = GrpcTransportOptions.at("127.0.0.1", 0);

    @Test
    void optionsOutOfRangeAreNamedWithValueAndRange() {
        assertThatThrownBy(() -> GrpcTransportOptions.at("127.0.0.1", 65_536))
                .hasMessage("port must be 0 to 65535, not 65536");
        assertThatThrownBy(() -> GrpcTransportOptions.at(" ", 1)).hasMessageContaining("host");
        assertThatThrownBy(() -> options.withConnectionsPerPeer(0))
                .hasMessage("connectionsPerPeer must be 1 to 256, not 0");
        assertThatThrownBy(() -> options.withMaxFrameBytes(0)).hasMessageContaining("maxFrameBytes must be 1024 to");
        assertThatThrownBy(() -> options.withMaxInFlightBytes(1)).hasMessageContaining("maxInFlightBytes must be");
        assertThatThrownBy(() -> options.withConnectTimeout(Duration.ZERO))
                .hasMessage("connectTimeout must be 1ms to 10m, not 0s");
        assertThatThrownBy(() -> options.withIdleTimeout(Duration.ofDays(1))).hasMessageContaining("idleTimeout");
    }

    @Test
    void tlsWithoutAnOwnCertificateIsRefused() {
        assertThatThrownBy(() -> options.withTls(TlsFiles.trusting(Path.of("ca.pem"))))
                .hasMessageContaining("needs a certificate");
    }
}
