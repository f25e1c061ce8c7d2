package io.dht4j.simulator.contract;

import static io.dht4j.simulator.contract.Results.PATIENCE;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.spi.RemoteApi;
import java.util.List;

/** The base of the suites of the remote APIs' contract: a client, and servers of a cluster of three nodes. */
interface RemoteApiSuite {

    /** The options of the calls: long enough that the deadline ends none. */
    CallOptions OPTIONS = CallOptions.defaults().withTimeout(PATIENCE);

    /** The options of calls to all replicas. */
    CallOptions EVERYWHERE = OPTIONS.withPolicy(3, 3);

    /** The largest value of the cluster. */
    int MAX_VALUE_BYTES = 16 << 20;

    /** The largest batch of the cluster. */
    int MAX_BATCH = 500;

    /** A key. */
    Key KEY = Key.of("key");

    /** Returns the client under test. */
    RemoteApi api();

    /** Creates a further client. */
    RemoteApi newApi();

    /** Returns the three nodes. */
    List<Cluster> clusters();

    /** Returns the servers of the nodes, and then those that the test has added. */
    List<RemoteApiContract.Server> servers();

    /** Starts a cluster of one node that agrees on its nodes, and returns the address of its server. */
    String agreedAddress() throws Exception;

    /** Serves a cluster at an address of its own until the end of the test. */
    RemoteApiContract.Server served(Cluster cluster) throws Exception;

    /** Returns the address of a node's server. */
    default String address(int node) {
        return servers().get(node).address();
    }

    /** Returns keys that need escaping in paths, texts or JSON. */
    static List<Key> awkwardKeys() {
        return List.of(
                Key.of(new byte[] {0}),
                Key.of(new byte[] {(byte) 0xFF}),
                Key.of(new byte[] {(byte) 0xC3, 0x28}),
                Key.of("a/b/../c?d=e&f#g;h=i"),
                Key.of("%2F%00+ \t\r\n\"\\"),
                Key.of("."),
                Key.of(".."),
                Key.of("grün 東京 🙂"),
                Key.of("k".repeat(Key.MAX_LENGTH)),
                Key.of(new byte[Key.MAX_LENGTH]));
    }
}
