package io.dht4j.benchmarks.scenario.load;

import io.dht4j.benchmarks.load.client.ClientSpec;
import io.dht4j.benchmarks.process.node.LabCustomizer;
import io.dht4j.benchmarks.scenario.CandidateParameters;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.scenario.server.ClientPlan;
import io.dht4j.benchmarks.scenario.server.NodeJvm;
import io.dht4j.benchmarks.scenario.server.ServerPlan;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.lab.workload.ValueSizes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The plan of a load: the operations, the sending processes, and the nodes.
 *
 * @param operations measured separately, in this order
 * @param keys number of keys, all written before measuring
 * @param valueSizes sizes of values
 * @param client connection of each process to each node
 * @param processes that generate the load together
 * @param repetitions of each measurement
 * @param warmUpSeconds of each operation before measuring
 * @param seconds length of a run
 * @param jvm of each node of the run
 * @param loadFlags of the JVMs of the load
 * @param targets the running cluster; empty for nodes of the run
 */
public record LoadPlan(
        List<Operation> operations,
        long keys,
        ValueSizes valueSizes,
        ClientPlan client,
        int processes,
        int repetitions,
        double warmUpSeconds,
        double seconds,
        NodeJvm jvm,
        List<String> loadFlags,
        Optional<Targets> targets) {

    /** The nodes of a cluster of the run. */
    public static final int NODES = 3;

    private static final List<String> NODE_PARAMETERS = List.of("heap", "processors", "collector", "node-flags");
    private static final int MAX_IN_FLIGHT = 4096;
    private static final int MOST_PROCESSES = 64;
    private static final int HEAP_MEGABYTES = 256;
    private static final long REPORT_BYTES = 64L << 20;

    /**
     * Returns the parameters of the plan after a scenario's own.
     *
     * @param own the scenario's own
     */
    public static List<Parameter> parameters(List<Parameter> own) {
        List<Parameter> all = new ArrayList<>(own);
        all.addAll(Targets.parameters());
        all.add(Parameter.of(
                "load-processes",
                "processes that generate the load together, 1 to " + MOST_PROCESSES + ", each with its share of rate "
                        + "and keys",
                "1"));
        all.add(shared("operations", "put,get", "put,get"));
        all.add(shared("mix", "none", "none"));
        all.add(shared("key-distribution", "uniform", "uniform"));
        all.add(shared("keys", "2000", "100000"));
        all.add(shared("value-bytes", "100", "100"));
        all.addAll(ClientPlan.parameters());
        all.add(new Parameter("repetitions", "measurements of each variant, in turns, 1 to 100", "1", "4"));
        all.add(new Parameter("warm-up", "seconds of each operation before measuring, 0 to 600", "2", "30"));
        all.add(new Parameter("seconds", "length of a run, 0.1 to 600", "1", "5"));
        all.addAll(NodeJvm.parameters());
        all.add(CandidateParameters.with());
        all.addAll(CandidateParameters.components());
        return all;
    }

    /**
     * Returns a parameter of the comparisons of servers with defaults of its own, so that the list describes it once.
     *
     * @param name of the parameter
     * @param quick its default of the short form
     * @param full its default of the full form
     */
    public static Parameter shared(String name, String quick, String full) {
        return ServerPlan.parameters().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow()
                .byDefault(quick, full);
    }

    /**
     * Reads them.
     *
     * @throws IllegalArgumentException if one is invalid
     */
    public static LoadPlan of(Settings settings) {
        ClientPlan client = ClientPlan.of(settings);
        long keys = settings.number("keys", 1, 100_000_000);
        return new LoadPlan(
                ServerPlan.operations(settings),
                keys,
                ServerPlan.valueSizes(settings),
                client,
                (int) settings.number("load-processes", 1, Math.min(keys, MOST_PROCESSES)),
                (int) settings.number("repetitions", 1, 100),
                settings.decimal("warm-up", 0, 600),
                settings.decimal("seconds", 0.1, 600),
                NodeJvm.of(settings).with(LabCustomizer.jvmFlags(CandidateParameters.components(settings))),
                NodeJvm.compilerFlags(settings),
                Targets.of(settings));
    }

    /**
     * Checks that the targets, if there are any, answer and have no keys of the prefix. Blocks for seconds.
     *
     * @throws IllegalArgumentException if not; the message names the node or the key
     */
    public void requireTargets() {
        targets.ifPresent(running -> running.require(client));
    }

    /**
     * Checks that the parameters suit the nodes: those of nodes of the run have no effect on targets, nor those of
     * targets without any.
     *
     * @param settings of the run
     * @param own the scenario's own parameters of nodes of the run
     * @throws IllegalArgumentException if one without effect differs from its default; the message names it
     */
    public void requireEffects(Settings settings, List<String> own) {
        List<String> idle = new ArrayList<>();
        if (targets.isPresent()) {
            idle.addAll(own);
            idle.addAll(NODE_PARAMETERS);
            idle.add(CandidateParameters.WITH);
            CandidateParameters.components().forEach(parameter -> idle.add(parameter.name()));
        } else {
            Targets.parameters().forEach(parameter -> idle.add(parameter.name()));
        }
        settings.requireDefaults(
                idle,
                targets.isPresent()
                        ? "with --targets, whose nodes run already"
                        : "without --targets, on nodes of the run");
    }

    /** Returns warnings about the credentials for the targets. Reads their files. */
    public List<String> warnings() {
        return targets.map(running -> running.access().warnings()).orElse(List.of());
    }

    /** Returns the needs of a run. */
    public Needs needs() {
        Needs load = Needs.of(REPORT_BYTES, processes, HEAP_MEGABYTES);
        return targets.isPresent()
                ? load
                : Needs.of(Needs.storeBytes(NODES * keys, valueSizes.largest()), NODES, jvm.heapMegabytes())
                        .beside(load);
    }

    /** Returns a load of the length of a run, without a warm-up. */
    public LoadSpec load(Operation operation, double perSecond, long seed) {
        return new LoadSpec(
                operation,
                perSecond,
                0,
                seconds,
                keys,
                MAX_IN_FLIGHT,
                client.threads(),
                seed,
                client.sendEveryMicros());
    }

    int heapMegabytes() {
        return HEAP_MEGABYTES;
    }

    /** Returns a client with the sizes of values. */
    ClientSpec sized(ClientSpec spec) {
        return spec.withValueSizes(valueSizes);
    }
}
