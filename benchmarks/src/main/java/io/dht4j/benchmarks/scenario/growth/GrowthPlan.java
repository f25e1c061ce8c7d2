package io.dht4j.benchmarks.scenario.growth;

import io.dht4j.benchmarks.load.client.ClientSpec;
import io.dht4j.benchmarks.load.client.KeyNames;
import io.dht4j.benchmarks.process.node.LabCustomizer;
import io.dht4j.benchmarks.process.node.Nodes;
import io.dht4j.benchmarks.process.node.NodesSpec;
import io.dht4j.benchmarks.scenario.CandidateParameters;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.scenario.load.LoadPlan;
import io.dht4j.benchmarks.scenario.server.ClientPlan;
import io.dht4j.benchmarks.scenario.server.NodeJvm;
import io.dht4j.benchmarks.scenario.server.PeerTransports;
import io.dht4j.benchmarks.scenario.server.SearchPlan;
import io.dht4j.benchmarks.scenario.server.ServerVariant;
import io.dht4j.benchmarks.stable.StableLoadSpec;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/**
 * The plan of a growth.
 *
 * @param rate offered operations per second; empty for half of the stable load
 * @param bytesPerSecond rate of the moves
 * @param windowSeconds length of a window
 * @param windows number of undisturbed windows before the moves, and as many after them
 * @param transport between the nodes
 * @param keys number of keys, all written before
 * @param valueBytes size of each value
 * @param client connection of the load to each node
 * @param warmUpSeconds least time at full speed before measuring
 * @param warmUpLimit greatest time, if the nodes' compilers stay busy
 * @param search of the stable load
 * @param jvm of each node
 * @param loadFlags of the JVM of the load
 */
public record GrowthPlan(
        OptionalDouble rate,
        long bytesPerSecond,
        double windowSeconds,
        int windows,
        String transport,
        long keys,
        int valueBytes,
        ClientPlan client,
        double warmUpSeconds,
        double warmUpLimit,
        SearchPlan search,
        double searchSeconds,
        NodeJvm jvm,
        List<String> loadFlags) {

    /** The nodes that form the cluster. */
    static final int FOUNDERS = 3;

    /** The replicas of each key. */
    static final int REPLICAS = 3;

    /** Half of the calls are gets, half are puts of keys that exist. */
    private static final Operation MIX = new Operation("get=50,put=50", "get=50,put=50", "uniform", 1);

    private static final int ACK = 2;
    private static final double FULL_SPEED = 50_000;
    private static final int WARM_UP_IN_FLIGHT = 32;
    private static final int MAX_IN_FLIGHT = 4096;
    private static final int LOAD_HEAP_MEGABYTES = 512;
    private static final long REPORT_BYTES = 64L << 20;

    private static final String RATE = "rate";
    private static final String SEARCH = "search";
    private static final String MOVE_RATE = "move-rate";
    private static final String VALUE_BYTES = "value-bytes";
    private static final List<String> OF_THE_SEARCH =
            List.of("seconds", "first-rate", "greatest-rate", "precision", "p99");

    /** Returns the parameters. */
    public static List<Parameter> parameters() {
        List<Parameter> all = new ArrayList<>(List.of(
                new Parameter(
                        RATE,
                        "offered operations per second, half gets and half puts, 1 to 1,000,000; or search, for half "
                                + "of the stable load",
                        "500",
                        SEARCH),
                new Parameter(MOVE_RATE, "rate of the moves, 64 to 1,048,576 KiB per second", "64", "1024"),
                new Parameter("window", "length of a window, 0.5 to 600 seconds", "2", "10"),
                new Parameter(
                        "windows", "undisturbed windows before the moves, and as many after them, 1 to 100", "2", "6"),
                PeerTransports.parameter("vertx", "grpc-stream"),
                LoadPlan.shared("keys", "20000", "1000000"),
                Parameter.of(VALUE_BYTES, "size of each value, 0 to 1,048,576", "100")));
        all.addAll(ClientPlan.parameters());
        all.add(LoadPlan.shared("warm-up", "4", "20"));
        all.add(LoadPlan.shared("warm-up-limit", "12", "60"));
        all.add(LoadPlan.shared("seconds", "1", "3"));
        all.add(LoadPlan.shared("first-rate", "1000", "4000"));
        all.add(LoadPlan.shared("greatest-rate", "1000000", "1000000"));
        all.add(LoadPlan.shared("precision", "0.3", "0.1"));
        all.add(LoadPlan.shared("p99", "200", "50"));
        all.addAll(NodeJvm.parameters());
        all.add(CandidateParameters.with());
        all.addAll(CandidateParameters.components());
        return all;
    }

    /**
     * Reads them.
     *
     * @throws IllegalArgumentException if one is invalid
     */
    public static GrowthPlan of(Settings settings) {
        OptionalDouble rate = settings.text(RATE).strip().equals(SEARCH)
                ? OptionalDouble.empty()
                : OptionalDouble.of(settings.decimal(RATE, 1, 1_000_000));
        if (rate.isPresent()) {
            settings.requireDefaults(OF_THE_SEARCH, "with a number as --rate, which needs no search");
        }
        SearchPlan search = SearchPlan.of(settings);
        ClientPlan client = ClientPlan.of(settings);
        client.requireSendsWithin(search.p99());
        return new GrowthPlan(
                rate,
                settings.number(MOVE_RATE, 64, 1 << 20) << 10,
                settings.decimal("window", 0.5, 600),
                (int) settings.number("windows", 1, 100),
                PeerTransports.of(settings),
                settings.number("keys", 1, 100_000_000),
                (int) settings.number(VALUE_BYTES, 0, 1 << 20),
                client,
                settings.decimal("warm-up", 0, 600),
                settings.decimal("warm-up-limit", 0, 3600),
                search,
                settings.decimal("seconds", 0.1, 600),
                NodeJvm.of(settings).with(LabCustomizer.jvmFlags(CandidateParameters.components(settings))),
                NodeJvm.compilerFlags(settings));
    }

    /** Returns the needs of a run. */
    public Needs needs() {
        // The former owners hold the entries until they have moved.
        return Needs.of(
                        Needs.storeBytes((FOUNDERS + 1) * keys, valueBytes) + REPORT_BYTES,
                        FOUNDERS + 1,
                        jvm.heapMegabytes())
                .beside(Needs.of(0, 1, LOAD_HEAP_MEGABYTES));
    }

    ServerVariant variant() {
        return ServerVariant.of("grown", FOUNDERS, ACK, REPLICAS)
                .over(transport)
                .whoseNodesMayChange();
    }

    NodesSpec nodes(Path directory) {
        return client.offering(variant().spec(directory, jvm));
    }

    ClientSpec client(Nodes nodes) {
        return client.spec(nodes).withPolicy(ACK, REPLICAS).withValueBytes(valueBytes);
    }

    int loadHeapMegabytes() {
        return LOAD_HEAP_MEGABYTES;
    }

    /** Returns the bytes of an entry as moves count them. */
    int entryBytes() {
        return KeyNames.LENGTH + valueBytes;
    }

    LoadSpec window(double perSecond) {
        return new LoadSpec(
                MIX, perSecond, 0, windowSeconds, keys, MAX_IN_FLIGHT, client.threads(), 1, client.sendEveryMicros());
    }

    LoadSpec fullSpeed(double seconds) {
        return window(FULL_SPEED).lasting(0, seconds).withMaxInFlight(Math.max(WARM_UP_IN_FLIGHT, client.threads()));
    }

    StableLoadSpec searchSpec() {
        return search.from(window(search.first()).lasting(searchSeconds / 2, searchSeconds));
    }
}
