package io.dht4j.core.internal.detection;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.NodeId;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SilenceDetectorTest {

    private static final NodeId GONE = new NodeId("gone");
    private static final NodeId STAYS = new NodeId("stays");

    @Test
    void nodesThatHaveLeftAreForgotten() {
        SilenceDetector detector = new SilenceDetector(Duration.ofSeconds(1));
        detector.unreachable(GONE, 1);
        detector.unreachable(STAYS, 1);
        detector.retain(Set.of(STAYS));
        assertThat(detector.isSuspected(GONE, 2)).isFalse();
        assertThat(detector.isSuspected(STAYS, 2)).isTrue();
    }
}
