package io.dht4j.benchmarks.scenario.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

class NodeJvmTest {

    @Test
    void nodesShareTheProcessorsUnlessANumberIsGiven() {
        int all = Runtime.getRuntime().availableProcessors();

        assertThat(new NodeJvm(64, 0, List.of("-XX:+UseSerialGC")).flags(1))
                .containsExactly("-XX:+UseSerialGC", "-XX:ActiveProcessorCount=" + all);
        assertThat(new NodeJvm(64, 0, List.of()).flags(all + 1)).containsExactly("-XX:ActiveProcessorCount=1");
        assertThat(new NodeJvm(64, 7, List.of()).flags(3)).containsExactly("-XX:ActiveProcessorCount=7");
    }

    @Test
    void furtherFlagsAreHandedOnAndWhatIsNoneIsRefused() {
        assertThat(NodeJvm.further("-Xmn64m  -Xlog:gc")).containsExactly("-Xmn64m", "-Xlog:gc");
        assertThat(NodeJvm.further("none")).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NodeJvm.further("-Xmn64m Main"))
                .withMessageContaining("--node-flags")
                .withMessageContaining("\"Main\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NodeJvm.further("-Xmx2g"))
                .withMessageContaining("--heap");
    }
}
