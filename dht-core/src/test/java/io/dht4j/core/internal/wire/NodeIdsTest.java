package io.dht4j.core.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.NodeId;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NodeIdsTest {

    @Test
    void namesAreFoundWhateverTheirHashesAre() {
        List<NodeId> ids = IntStream.range(0, 3_000)
                .mapToObj(i -> new NodeId("n" + Integer.toString(i * 7_919, 36)))
                .toList();
        NodeIds names = new NodeIds(ids);
        for (NodeId id : ids) {
            byte[] bytes = ("-" + id + "-").getBytes(StandardCharsets.US_ASCII);
            assertThat(names.find(bytes, 1, bytes.length - 2)).isSameAs(id);
        }
        assertThat(names.find(new byte[] {'x'}, 0, 1)).isEqualTo(new NodeId("x"));
        assertThat(new NodeIds(List.of()).find(new byte[] {'x'}, 0, 1)).isEqualTo(new NodeId("x"));
    }
}
