package io.dht4j.core.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.NodeId;
import io.dht4j.core.internal.view.NodeIdentity;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
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

    @Test
    void identitiesAreTheSameObjectsAsLongAsTheyStayTheSame() {
        NodeIds ids = new NodeIds(List.of(new NodeId("n1"), new NodeId("n2")));
        NodeIdentity first = ids.identity(1, 7, 8);
        assertThat(first).isEqualTo(new NodeIdentity(1, new UUID(7, 8)));
        assertThat(ids.identity(1, 7, 8)).isSameAs(first);
        assertThat(ids.identity(1, 7, 9)).isEqualTo(new NodeIdentity(1, new UUID(7, 9)));
        assertThat(ids.identity(1, 6, 9)).isEqualTo(new NodeIdentity(1, new UUID(6, 9)));
        for (int number : new int[] {0, 2, 1 << 20, Integer.MAX_VALUE}) {
            assertThat(ids.identity(number, 6, 9)).isEqualTo(new NodeIdentity(number, new UUID(6, 9)));
        }
    }
}
