package io.dht4j.server.cli;

import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.Value;
import io.dht4j.server.ServerNode;
import io.dht4j.server.TestNodes;
import io.dht4j.testkit.network.FreePorts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A node, and calls of the command line with its address, for the tests of commands. */
abstract class NodeCommands {

    /** All bytes, twice, for a value that a careless client would change. */
    static final byte[] BINARY = new byte[512];

    static {
        for (int i = 0; i < BINARY.length; i++) {
            BINARY[i] = (byte) i;
        }
    }

    @TempDir
    Path directory;

    ServerNode node;

    @BeforeEach
    void startNode() throws Exception {
        node = TestNodes.start(1, FreePorts.find(1), Map.of());
    }

    @AfterEach
    void stopNode() {
        node.close();
    }

    CommandLineRun run(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--node");
        all.add(node.url());
        return CommandLineRun.of(all.toArray(String[]::new));
    }

    void put(String key, byte[] value, CallOptions options) {
        node.cluster().put(Key.of(key), value, options).toCompletableFuture().join();
    }

    Optional<Value> read(String key) {
        return node.cluster().get(Key.of(key)).toCompletableFuture().join();
    }

    String value(String key) {
        return read(key).orElseThrow().text();
    }
}
