package io.dht4j.benchmarks.process.node;

import io.dht4j.benchmarks.load.client.ClientSpec;
import java.util.Map;

/** The commands between {@link NodeProcess} and {@link NodeMain}. */
final class NodeCommands {

    /** Starts the node; once. */
    static final String START = "start";

    /** Waits until every node answers. */
    static final String JOIN = "join";

    /** Reads the counters of the process. */
    static final String COUNTERS = "counters";

    /** Reads the agreed cluster. */
    static final String MEMBERSHIP = "membership";

    /** Counts the entries of the node's store. */
    static final String ENTRIES = "entries";

    /** Allows a node to join. */
    static final String ADMIT = "admit";

    /** Sets how partitions move. */
    static final String REBALANCE = "rebalance";

    /** Readies the node's own cluster for loads within its process. */
    static final String EMBED_LOAD = "embed-load";

    static final String FILL = "fill";
    static final String RUN = "run";

    static final String PROFILE_START = "profile-start";
    static final String PROFILE_STOP = "profile-stop";

    private NodeCommands() {}

    /** Settings of the server by their names in files. */
    record Start(Map<String, String> settings) {}

    record Started(String url) {}

    /**
     * Describes the load within one of several nodes.
     *
     * @param client policy, timeout and sizes of values
     * @param keys number of keys that all nodes share
     * @param index of the node, from 0
     * @param count number of nodes
     */
    record EmbedLoad(ClientSpec client, long keys, int index, int count) {}

    record Join(long millis) {}

    record Admit(String name) {}

    record Rebalance(boolean paused, long bytesPerSecond) {}

    record ProfileStart(String event) {}

    /** Absolute paths of the files to write. */
    record ProfileStop(String collapsed, String flameGraph, String title) {}
}
