package io.dht4j.transport.grpc.internal;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class GrpcVersionsTest {

    @Test
    void theVersionOfThisBuildIsAccepted() {
        assertThatCode(GrpcVersions::check).doesNotThrowAnyException();
    }

    @Test
    void aGrpcWithoutTheEventLoopsIsNamedWithTheRemedy() {
        ClassLoader older = new ClassLoader(null) {};

        assertThatThrownBy(() -> GrpcVersions.check(older, Optional.of("1.79.0")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("grpc-netty-shaded on the class path is 1.79.0, but must be 1.85.1 or later: import "
                        + "io.grpc:grpc-bom 1.85.1, or io.dht4j:dht-bom, before the BOM that chooses it");
        assertThatThrownBy(() -> GrpcVersions.check(older, Optional.empty()))
                .hasMessageContainingAll("unknown version", "io.dht4j:dht-bom");
    }
}
