package io.dht4j.transport.http.internal.netty;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class VertxVersionsTest {

    @Test
    void theVersionsOfThisBuildAreAccepted() {
        assertThatCode(VertxVersions::check).doesNotThrowAnyException();
    }

    @Test
    void aFrameworksOlderNettyIsNamedWithTheRemedy() {
        assertThatThrownBy(() -> VertxVersions.checkNetty(
                        Map.of("netty-common", "4.2.18.Final", "netty-codec-http", "4.1.128.Final")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Netty (netty-codec-http) on the class path is 4.1.128.Final, but must be 4.2.18.Final or "
                        + "later: import io.dht4j:dht-bom before the BOM that chooses it");
    }

    @Test
    void aFrameworksOlderVertxIsNamedWithBothWaysOut() {
        assertThatThrownBy(() -> VertxVersions.checkVertx("4.5.27"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("Vert.x", "4.5.27", "5.2.0", "io.dht4j:dht-bom", "gRPC transport");
    }
}
