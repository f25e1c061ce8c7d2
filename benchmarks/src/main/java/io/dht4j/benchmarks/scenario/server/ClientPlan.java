package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.load.client.ClientSpec;
import io.dht4j.benchmarks.load.client.ClientSpec.Api;
import io.dht4j.benchmarks.process.node.Nodes;
import io.dht4j.benchmarks.process.node.NodesSpec;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.lab.internal.load.LoadSpec;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The connection of the load generator to the nodes.
 *
 * @param api the public API
 * @param connections to each node
 * @param threads that begin operations, and as many for reading and writing
 * @param sendEveryMicros least time between two wake-ups
 */
public record ClientPlan(Api api, int connections, int threads, int sendEveryMicros) {

    /** The least time between two wake-ups, without effect in a closed loop. */
    public static final String SEND_EVERY = "send-every";

    static final String API = "api";
    private static final int GRPC_CONNECTIONS = 2;
    private static final String CONNECTIONS = "connections";
    private static final String THREADS = "load-threads";

    /** Returns its parameters. */
    public static List<Parameter> parameters() {
        return List.of(
                Parameter.of(API, "the public API that the load uses: http or grpc", "http"),
                new Parameter(
                        CONNECTIONS,
                        "connections of the load to each node, 1 to 4096; over grpc all operations share them, so 1 "
                                + "or 2 suffice",
                        "32",
                        "64"),
                Parameter.of(
                        THREADS,
                        "threads of the load that begin operations, 1 to 64, and as many for reading and writing",
                        "1"),
                Parameter.of(
                        SEND_EVERY,
                        "least time between two wake-ups of such a thread, 0 to 10,000 microseconds and half of "
                                + "--p99, if there is one; operations due in between are sent together, and "
                                + "their delay counts",
                        "500"));
    }

    /**
     * Reads them.
     *
     * @throws IllegalArgumentException if one is invalid
     */
    public static ClientPlan of(Settings settings) {
        return of(
                settings, Api.valueOf(settings.one(API, List.of("http", "grpc")).toUpperCase(Locale.ROOT)));
    }

    /** Reads all but the API. */
    static ClientPlan of(Settings settings, Api api) {
        return new ClientPlan(
                api, (int) settings.number(CONNECTIONS, 1, 4096), (int) settings.number(THREADS, 1, 64), (int)
                        settings.number(SEND_EVERY, 0, LoadSpec.MOST_SEND_EVERY_MICROS));
    }

    /**
     * Checks that waits between two wake-ups take at most half of a bound on latency.
     *
     * @param p99 the bound of the 99th percentile
     * @throws IllegalArgumentException if they take more
     */
    public void requireSendsWithin(Duration p99) {
        long most = TimeUnit.MICROSECONDS.convert(p99) / 2;
        if (sendEveryMicros > most) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "--send-every must be at most %,d microseconds, half of --p99, not '%d'",
                    most,
                    sendEveryMicros));
        }
    }

    /** Returns a copy with another number of connections to each node. */
    ClientPlan withConnections(int count) {
        return new ClientPlan(api, count, threads, sendEveryMicros);
    }

    /** Returns a copy with another API; over gRPC with few connections, which all operations share. */
    ClientPlan over(Api other) {
        int count = other == Api.GRPC ? Math.min(GRPC_CONNECTIONS, connections) : connections;
        return new ClientPlan(other, count, threads, sendEveryMicros);
    }

    /** Returns nodes that offer the API. */
    public NodesSpec offering(NodesSpec spec) {
        return api == Api.GRPC ? spec.withGrpcApi() : spec;
    }

    /** Returns the client of the nodes' API. */
    public ClientSpec spec(Nodes nodes) {
        return spec(api == Api.GRPC ? nodes.grpcAddresses() : nodes.httpAddresses());
    }

    /**
     * Returns the client of some nodes' API.
     *
     * @param addresses {@code HOST:PORT} of each node's API; over HTTP for an embedded load
     */
    public ClientSpec spec(List<String> addresses) {
        ClientSpec spec = switch (api) {
            case GRPC -> ClientSpec.grpc(addresses);
            case HTTP -> ClientSpec.http(addresses);
            case EMBEDDED -> ClientSpec.embedded(addresses);
        };
        return spec.withConnections(connections, threads);
    }
}
