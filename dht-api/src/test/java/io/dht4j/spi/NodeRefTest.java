package io.dht4j.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.NodeId;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NodeRefTest {

    private static NodeRef ref(String name, long incarnation) {
        return new NodeRef(new NodeId(name), new UUID(0, incarnation));
    }

    @Test
    void anotherIncarnationOfANameIsAnotherNode() {
        assertThat(ref("n1", 1)).isEqualTo(ref("n1", 1)).isNotEqualTo(ref("n1", 2));
    }

    @Test
    void nodesAreOrderedByNameAndIncarnation() {
        assertThat(Stream.of(ref("n2", 1), ref("n1", 2), ref("n1", 1)).sorted())
                .containsExactly(ref("n1", 1), ref("n1", 2), ref("n2", 1));
    }

    @Test
    void theTextHasBoth() {
        assertThat(ref("n1", 1)).hasToString("n1@00000000-0000-0000-0000-000000000001");
    }
}
