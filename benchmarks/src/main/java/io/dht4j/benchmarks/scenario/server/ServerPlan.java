package io.dht4j.benchmarks.scenario.server;

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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The plan of measuring standalone servers: the parameters that all such scenarios share.
 *
 * @param operations measured separately, in this order
 * @param keys number of keys, all written before measuring
 * @param valueBytes size of a value
 * @param client connection of the load to the nodes
 * @param events to profile
 * @param pace of the search for the stable load
 * @param costs how they are counted
 * @param jvm of each node
 */
public record ServerPlan(
        List<Operation> operations,
        long keys,
        int valueBytes,
        ClientPlan client,
        List<ProfileEvent> events,
        Pace pace,
        CostPlan costs,
        NodeJvm jvm) {

    private static final int MAX_IN_FLIGHT = 4096;
    private static final int WARM_UP_IN_FLIGHT = 32;
    private static final double FULL_SPEED = 50_000;
    private static final String OPERATIONS = "operations";
    private static final String NONE = "none";
    private static final long REPORT_BYTES = 256L << 20;
    private static final long FILE_PER_LIVE = 4;
    private static final long KEY_BYTES = 100;

    /**
     * The pace of the search for the stable load.
     *
     * @param repetitions of each variant
     * @param warmUpSeconds least time of each operation at full speed before measuring
     * @param warmUpLimit greatest warm-up in seconds, if the nodes' compilers do not rest before
     * @param seconds length of a run of the search
     * @param firstRate first rate, per second
     * @param greatestRate greatest rate
     * @param precision as a part of the rate
     * @param p99 the bound of the 99th percentile
     */
    public record Pace(
            int repetitions,
            double warmUpSeconds,
            double warmUpLimit,
            double seconds,
            double firstRate,
            double greatestRate,
            double precision,
            Duration p99) {

        static Pace of(Settings settings) {
            double first = settings.decimal("first-rate", 1, 1_000_000);
            return new Pace(
                    (int) settings.number("repetitions", 1, 100),
                    settings.decimal("warm-up", 0, 600),
                    settings.decimal("warm-up-limit", 0, 3600),
                    settings.decimal("seconds", 0.1, 600),
                    first,
                    settings.decimal("greatest-rate", first, 1_000_000),
                    settings.decimal("precision", 0.001, 1),
                    Duration.ofMillis(settings.number("p99", 1, 60_000)));
        }
    }

    /**
     * Returns the shared parameters after a scenario's own.
     *
     * @param own the scenario's own
     * @param quickKeys number of keys of the short form
     * @param fullKeys number of keys of the full form
     * @param valueBytes size of a value in both
     */
    public static List<Parameter> parameters(
            List<Parameter> own, String quickKeys, String fullKeys, String valueBytes) {
        return Stream.of(
                        own.stream(),
                        Stream.of(
                                new Parameter(
                                        OPERATIONS,
                                        "operations to measure, separated by commas: put, get",
                                        "put",
                                        "put,get"),
                                new Parameter("keys", "number of keys, 1 to 100,000,000", quickKeys, fullKeys),
                                new Parameter(
                                        "value-bytes", "size of a value, 0 to 16,777,216", valueBytes, valueBytes)),
                        ClientPlan.parameters().stream(),
                        Stream.of(
                                new Parameter(
                                        "profiles",
                                        "events to profile, separated by commas: cpu, alloc, lock, wall; or none",
                                        NONE,
                                        "cpu,alloc,lock,wall"),
                                new Parameter(
                                        "repetitions", "counts of each variant's costs, in turns, 1 to 100", "4", "4"),
                                new Parameter(
                                        "warm-up",
                                        "seconds of each operation at full speed before measuring, at least, 0 to 600",
                                        "5",
                                        "10"),
                                new Parameter(
                                        "warm-up-limit",
                                        "greatest warm-up in seconds, if the nodes' compilers stay busy, 0 to 3600",
                                        "30",
                                        "120"),
                                new Parameter(
                                        "seconds",
                                        "length of a run of the search for the stable load, and half of that of a count of "
                                                + "costs, 0.1 to 600",
                                        "1.5",
                                        "3"),
                                new Parameter(
                                        "first-rate",
                                        "first rate of the search, 1 to 1,000,000 per second",
                                        "3000",
                                        "3000"),
                                new Parameter(
                                        "greatest-rate",
                                        "greatest rate of the search, first-rate to 1,000,000 per second",
                                        "1000000",
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

    /** Returns the shared parameters without the operations. */
    public static List<Parameter> parametersOfOneOperation(
            List<Parameter> own, String quickKeys, String fullKeys, String valueBytes) {
        return parameters(own, quickKeys, fullKeys, valueBytes).stream()
                .filter(parameter -> !parameter.name().equals(OPERATIONS))
                .toList();
    }

    /**
     * Reads them.
     *
     * @throws IllegalArgumentException if one is invalid
     */
    public static ServerPlan of(Settings settings) {
        return of(
                settings,
                settings.names(OPERATIONS, List.of("put", "get")).stream()
                        .map(name -> name.equals("put") ? Operation.PUT : Operation.GET)
                        .toList());
    }

    /** Reads all but the operations, which the scenario sets itself. */
    public static ServerPlan of(Settings settings, List<Operation> operations) {
        ClientPlan client = ClientPlan.of(settings);
        Pace pace = Pace.of(settings);
        long mostSendEvery = TimeUnit.MICROSECONDS.convert(pace.p99()) / 2;
        if (client.sendEveryMicros() > mostSendEvery) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "--send-every must be at most %,d microseconds, half of --p99, not '%d'",
                    mostSendEvery,
                    client.sendEveryMicros()));
        }
        return new ServerPlan(
                operations,
                settings.number("keys", 1, 100_000_000),
                (int) settings.number("value-bytes", 0, Values.MAX_BYTES),
                client,
                events(settings),
                pace,
                CostPlan.of(settings),
                NodeJvm.of(settings).with(LabCustomizer.jvmFlags(CandidateParameters.components(settings))));
    }

    private static List<ProfileEvent> events(Settings settings) {
        List<String> allowed = new ArrayList<>(
                Arrays.stream(ProfileEvent.values()).map(ProfileEvent::label).toList());
        allowed.add(NONE);
        List<String> names = settings.names("profiles", allowed);
        return names.contains(NONE)
                ? List.of()
                : names.stream().map(ProfileEvent::of).toList();
    }

    /** Returns a copy with another amount of data. */
    public ServerPlan holding(long count, int bytes) {
        return new ServerPlan(operations, count, bytes, client, events, pace, costs, jvm);
    }

    /** Returns a copy with another number of the load's connections to each node. */
    public ServerPlan withConnections(int count) {
        return new ServerPlan(operations, keys, valueBytes, client.withConnections(count), events, pace, costs, jvm);
    }

    /** Returns a copy that also profiles an event. */
    public ServerPlan profiling(ProfileEvent event) {
        List<ProfileEvent> more =
                Stream.concat(events.stream(), Stream.of(event)).distinct().toList();
        return new ServerPlan(operations, keys, valueBytes, client, more, pace, costs, jvm);
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
        return StableLoadSpec.from(load(operation, from, repetition))
                .upTo(Math.max(from, pace.greatestRate()))
                .within(pace.precision())
                .withP99(pace.p99())
                .lasting(3 * pace.seconds(), pace.seconds());
    }

    /**
     * Returns the greatest needs of a run: a store's file may be several times the live data, and has a log.
     *
     * @param nodes of a variant
     * @param copies of each entry
     * @param variants that are measured; their processes run at the same time if they are kept
     */
    public Needs needs(int nodes, int copies, int variants) {
        int clusters = costs.keepsProcesses() ? variants : 1;
        long dataBytes = FILE_PER_LIVE * copies * keys * (valueBytes + KEY_BYTES);
        return Needs.of(REPORT_BYTES + clusters * dataBytes, clusters * nodes, jvm.heapMegabytes())
                .beside(LoadGenerator.needs());
    }
}
