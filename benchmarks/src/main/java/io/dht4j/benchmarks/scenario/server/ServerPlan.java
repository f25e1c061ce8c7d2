package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.load.client.ClientSpec;
import io.dht4j.benchmarks.load.client.Values;
import io.dht4j.benchmarks.process.node.LabCustomizer;
import io.dht4j.benchmarks.profile.ProfileEvent;
import io.dht4j.benchmarks.scenario.CandidateParameters;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.stable.StableLoadSpec;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.lab.workload.KeyDistribution;
import io.dht4j.lab.workload.OperationMix;
import io.dht4j.lab.workload.ValueSizes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The plan of measuring standalone servers: the parameters that all such scenarios share.
 *
 * @param operations measured separately, in this order
 * @param keys number of keys, all written before measuring
 * @param valueSizes sizes of values
 * @param client connection of the load to the nodes
 * @param events to profile
 * @param pace of the search for the stable load
 * @param costs how they are counted
 * @param jvm of each node
 */
public record ServerPlan(
        List<Operation> operations,
        long keys,
        ValueSizes valueSizes,
        ClientPlan client,
        List<ProfileEvent> events,
        Pace pace,
        CostPlan costs,
        NodeJvm jvm) {

    private static final int MAX_IN_FLIGHT = 4096;
    private static final int WARM_UP_IN_FLIGHT = 32;
    private static final double FULL_SPEED = 50_000;
    private static final String OPERATIONS = "operations";
    private static final String MIX = "mix";
    private static final String KEY_DISTRIBUTION = "key-distribution";
    private static final String VALUE_BYTES = "value-bytes";
    static final String PROFILES = "profiles";
    private static final int LONGEST_SCAN = 100;
    static final String NONE = "none";
    private static final long REPORT_BYTES = 256L << 20;

    /**
     * The pace of the search for the stable load.
     *
     * @param repetitions of each variant
     * @param warmUpSeconds least time of each operation at full speed before measuring
     * @param warmUpLimit greatest warm-up in seconds, if the nodes' compilers do not rest before
     * @param seconds length of a run of the search
     * @param search the rates and their bound
     */
    public record Pace(int repetitions, double warmUpSeconds, double warmUpLimit, double seconds, SearchPlan search) {

        static Pace of(Settings settings) {
            return new Pace(
                    (int) settings.number("repetitions", 1, 100),
                    settings.decimal("warm-up", 0, 600),
                    settings.decimal("warm-up-limit", 0, 3600),
                    settings.decimal("seconds", 0.1, 600),
                    SearchPlan.of(settings));
        }
    }

    /** Returns the shared parameters. */
    public static List<Parameter> parameters() {
        return Stream.of(
                        Stream.of(
                                new Parameter(
                                        OPERATIONS,
                                        "operations to measure, separated by commas: put, get",
                                        "put",
                                        "put,get"),
                                Parameter.of(
                                        MIX,
                                        "a mix in place of the operations: " + OperationMix.FORMS + "; or none",
                                        NONE),
                                Parameter.of(
                                        KEY_DISTRIBUTION,
                                        "which keys operations choose: " + KeyDistribution.FORMS,
                                        "uniform"),
                                new Parameter("keys", "number of keys, 1 to 100,000,000", "5000", "200000"),
                                Parameter.of(
                                        VALUE_BYTES,
                                        "size of a value, 0 to 16,777,216; or sizes: " + ValueSizes.FORMS,
                                        "100")),
                        ClientPlan.parameters().stream(),
                        Stream.of(
                                new Parameter(
                                        PROFILES,
                                        "events to profile, separated by commas: cpu, alloc, lock, wall; or none",
                                        NONE,
                                        "cpu,alloc,lock,wall"),
                                Parameter.of("repetitions", "counts of each variant's costs, in turns, 1 to 100", "4"),
                                new Parameter(
                                        "warm-up",
                                        "seconds of each operation at full speed before measuring, at least, 0 to 600",
                                        "4",
                                        "10"),
                                new Parameter(
                                        "warm-up-limit",
                                        "greatest seconds at full speed, if the nodes' compilers stay busy, 0 to 3600; "
                                                + "then at most half as many at the counted rate",
                                        "18",
                                        "80"),
                                new Parameter(
                                        "seconds",
                                        "length of a run of the search for the stable load, and half of that of a "
                                                + "count of costs, 0.1 to 600",
                                        "1.5",
                                        "3"),
                                Parameter.of(
                                        "first-rate", "first rate of the search, 1 to 1,000,000 per second", "3000"),
                                Parameter.of(
                                        "greatest-rate",
                                        "greatest rate of the search, first-rate to 1,000,000 per second",
                                        "1000000"),
                                new Parameter(
                                        "precision", "of the search, as a part of the rate, 0.001 to 1", "0.5", "0.05"),
                                new Parameter("p99", "bound of the 99th percentile, 1 to 60,000 ms", "200", "50")),
                        CostPlan.parameters().stream(),
                        NodeJvm.parameters().stream(),
                        Stream.of(CandidateParameters.with()),
                        CandidateParameters.components().stream())
                .flatMap(parameters -> parameters)
                .toList();
    }

    /**
     * Reads them.
     *
     * @throws IllegalArgumentException if one is invalid
     */
    public static ServerPlan of(Settings settings) {
        return of(settings, operations(settings), ClientPlan.of(settings), false);
    }

    /**
     * Reads them for loads that are embedded in the nodes, whose costs count.
     *
     * @throws IllegalArgumentException if one is invalid
     */
    public static ServerPlan ofEmbeddedLoads(Settings settings) {
        return of(settings, operations(settings), ClientPlan.of(settings, ClientSpec.Api.EMBEDDED), false)
                .countingLoad();
    }

    /**
     * Reads the operations, or the mix in their place, with their keys.
     *
     * @throws IllegalArgumentException if one is invalid
     */
    public static List<Operation> operations(Settings settings) {
        List<Operation> single = settings.names(OPERATIONS, List.of("put", "get")).stream()
                .map(name -> name.equals("put") ? Operation.PUT : Operation.GET)
                .toList();
        String mix = settings.text(MIX);
        if (mix.equals(NONE)) {
            return withKeys(settings, single);
        }
        settings.requireDefaults(List.of(OPERATIONS), "with --mix, which replaces it");
        return withKeys(settings, List.of(mixed(mix)));
    }

    private static List<Operation> withKeys(Settings settings, List<Operation> operations) {
        KeyDistribution keys = parsed(KEY_DISTRIBUTION, settings.text(KEY_DISTRIBUTION), KeyDistribution::parse);
        return operations.stream().map(operation -> operation.withKeys(keys)).toList();
    }

    private static Operation mixed(String text) {
        String mix = parsed(MIX, text, OperationMix::parse).toString();
        return new Operation(mix, mix, "uniform", LONGEST_SCAN);
    }

    /** Reads all but the operations, which the scenario sets itself; their keys are those of the parameter. */
    public static ServerPlan of(Settings settings, List<Operation> operations) {
        return of(settings, withKeys(settings, operations), ClientPlan.of(settings), false);
    }

    /**
     * Reads all but workloads, which the scenario sets itself, as it does the API of each case. The scenario has the
     * {@linkplain LoopPlan#parameters() parameters} of loops.
     */
    public static ServerPlan ofWorkloads(Settings settings, List<Operation> workloads) {
        return of(settings, workloads, ClientPlan.of(settings, ClientSpec.Api.HTTP), LoopPlan.isClosed(settings));
    }

    /**
     * Reads the sizes of values.
     *
     * @throws IllegalArgumentException if they are invalid
     */
    public static ValueSizes valueSizes(Settings settings) {
        ValueSizes sizes = parsed(VALUE_BYTES, settings.text(VALUE_BYTES), ValueSizes::parse);
        if (sizes.largest() > Values.MAX_BYTES) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "--value-bytes must be 0 to %,d, not '%s'", Values.MAX_BYTES, sizes));
        }
        return sizes;
    }

    private static <T> T parsed(String parameter, String text, Function<String, T> parse) {
        try {
            return parse.apply(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--" + parameter + ": " + e.getMessage(), e);
        }
    }

    private static ServerPlan of(
            Settings settings, List<Operation> operations, ClientPlan client, boolean isClosedLoop) {
        Pace pace = Pace.of(settings);
        client.requireSendsWithin(pace.search().p99());
        return new ServerPlan(
                operations,
                settings.number("keys", 1, 100_000_000),
                valueSizes(settings),
                client,
                events(settings),
                pace,
                CostPlan.of(settings, isClosedLoop),
                NodeJvm.of(settings).with(LabCustomizer.jvmFlags(CandidateParameters.components(settings))));
    }

    private static List<ProfileEvent> events(Settings settings) {
        List<String> allowed = new ArrayList<>(
                Arrays.stream(ProfileEvent.values()).map(ProfileEvent::label).toList());
        allowed.add(NONE);
        List<String> names = settings.names(PROFILES, allowed);
        return names.contains(NONE)
                ? List.of()
                : names.stream().map(ProfileEvent::of).toList();
    }

    /** Returns a copy with another amount of data. */
    public ServerPlan holding(long count, int bytes) {
        return holding(count, new ValueSizes.Fixed(bytes));
    }

    /** Returns a copy with another number of keys and other sizes of values. */
    public ServerPlan holding(long count, ValueSizes sizes) {
        return new ServerPlan(operations, count, sizes, client, events, pace, costs, jvm);
    }

    /**
     * Returns the one size of all values, for a scenario that varies it or counts by it.
     *
     * @throws IllegalArgumentException if there are several sizes
     */
    public int oneValueSize() {
        if (valueSizes instanceof ValueSizes.Fixed one) {
            return one.bytes();
        }
        throw new IllegalArgumentException(String.format(
                Locale.ROOT,
                "--value-bytes must be one size in this scenario, 0 to %,d, not '%s'",
                Values.MAX_BYTES,
                valueSizes));
    }

    /** Returns a copy whose load uses another API. */
    public ServerPlan over(ClientSpec.Api api) {
        return new ServerPlan(operations, keys, valueSizes, client.over(api), events, pace, costs, jvm);
    }

    /** Returns a copy that counts the costs of the load too, so that embedded loads compare with others. */
    public ServerPlan countingLoad() {
        return new ServerPlan(operations, keys, valueSizes, client, events, pace, costs.includingLoad(), jvm);
    }

    /** Returns a copy with another number of the load's connections to each node. */
    public ServerPlan withConnections(int count) {
        return new ServerPlan(operations, keys, valueSizes, client.withConnections(count), events, pace, costs, jvm);
    }

    /** Returns a copy that also profiles an event. */
    public ServerPlan profiling(ProfileEvent event) {
        List<ProfileEvent> more =
                Stream.concat(events.stream(), Stream.of(event)).distinct().toList();
        return new ServerPlan(operations, keys, valueSizes, client, more, pace, costs, jvm);
    }

    /** Returns a load with the length of a search's run. */
    LoadSpec load(Operation operation, double rate, int repetition) {
        return new LoadSpec(
                operation,
                rate,
                pace.seconds() / 2,
                pace.seconds(),
                keys,
                MAX_IN_FLIGHT,
                client.threads(),
                repetition + 1L,
                client.sendEveryMicros());
    }

    /** Returns the warm-up load: full speed with few requests in flight. */
    LoadSpec warmUp(Operation operation, double seconds) {
        return new LoadSpec(
                operation,
                FULL_SPEED,
                0,
                seconds,
                keys,
                Math.max(WARM_UP_IN_FLIGHT, client.threads()),
                client.threads(),
                0);
    }

    /** Returns the search, from a first rate on. */
    StableLoadSpec search(Operation operation, double from, int repetition) {
        return pace.search().from(load(operation, from, repetition)).lasting(3 * pace.seconds(), pace.seconds());
    }

    /**
     * Returns the needs of a variant's nodes.
     *
     * @param nodes number of nodes
     * @param copies of each entry
     */
    Needs needsOfNodes(int nodes, int copies) {
        return Needs.of(Needs.storeBytes(copies * keys, valueSizes.largest()), nodes, jvm.heapMegabytes());
    }

    /** Returns the needs beside those of the nodes: a report, and the load. */
    static Needs needsOfRun() {
        return new Needs(REPORT_BYTES, 0).beside(LoadGenerator.needs());
    }
}
