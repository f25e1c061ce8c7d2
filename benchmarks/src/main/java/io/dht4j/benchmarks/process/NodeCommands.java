package io.dht4j.benchmarks.process;

import java.util.Map;

/** What {@link NodeProcess} and {@link NodeMain} say to each other. */
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

    /** Settings of the server by the names that they have in files. */
    record Start(Map<String, String> settings) {}

    record Started(String url) {}

    record Join(long millis) {}

    record ProfileStart(String event) {}

    /** Files to write, with their whole paths. */
    record ProfileStop(String collapsed, String flameGraph, String title) {}
}
