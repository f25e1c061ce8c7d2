package io.dht4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.testkit.network.FreePorts;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddingExampleTest {

    @Test
    void serverWithoutANameSaysWhatItNeeds() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StandaloneServer.main(new String[0]))
                .withMessage("the argument is the name of the node: n1, n2 or n3");
    }

    @Test
    void aNodeInAFewLinesJoinsTwoOthers(@TempDir Path directory) throws Exception {
        List<Integer> ports = FreePorts.find(3);
        Topology topology = Topology.of(
                Node.of("n1", "127.0.0.1:" + ports.get(0)),
                Node.of("n2", "127.0.0.1:" + ports.get(1)),
                Node.of("n3", "127.0.0.1:" + ports.get(2)));
        try (StandaloneServer second = new StandaloneServer(new NodeId("n2"), topology, directory.resolve("n2"));
                StandaloneServer third = new StandaloneServer(new NodeId("n3"), topology, directory.resolve("n3"))) {
            assertThat(EmbeddingExample.greet(topology.nodes().get(0), topology, directory.resolve("n1")))
                    .isEqualTo("hello");

            for (StandaloneServer other : List.of(second, third)) {
                Optional<Value> greeting = other.cluster()
                        .get(Key.of("greeting"))
                        .toCompletableFuture()
                        .join();
                assertThat(greeting.map(Value::text)).as("still there").contains("hello");
            }
        }
    }
}
