package io.dht4j.benchmarks.process.node;

import java.util.Map;

/** The commands between {@link NodeProcess} and {@link NodeMain}. */
final class NodeCommands {

    /** Starts the node; once. */
    static final String START = "start";

    /** Waits until every node answers. */
    static final String JOIN = "join";

    /** Reads the counters of the process. */
    static final String COUNTERS = "counters";

    static final String PROFILE_START = "profile-start";
    static final String PROFILE_STOP = "profile-stop";

    private NodeCommands() {}

    /** Settings of the server by their names in files. */
    record Start(Map<String, String> settings) {}

    record Started(String url) {}

    record Join(long millis) {}

    record ProfileStart(String event) {}

    /** Absolute paths of the files to write. */
    record ProfileStop(String collapsed, String flameGraph, String title) {}
}
