package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.files.Directories;
import io.dht4j.benchmarks.process.load.LoadRunner;
import io.dht4j.benchmarks.process.node.Nodes;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.server.ServerComparison.Case;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** The running cluster of a case: filled and warmed up. Confined to one thread. */
final class CaseCluster implements AutoCloseable {

    private static final double CONNECTING_SECONDS = 0.2;

    private final Case of;
    private final Nodes nodes;
    private final LoadGenerator generator;
    private final LoadRunner load;
    private final NodesWarmUp warmUp;
    private final Path data;
    private final Set<Operation> settled = new HashSet<>();

    private CaseCluster(Case of, Nodes nodes, LoadGenerator generator, LoadRunner load, Path data) {
        this.of = of;
        this.nodes = nodes;
        this.generator = generator;
        this.load = load;
        this.warmUp = new NodesWarmUp(of.plan(), this::counters, load);
        this.data = data;
    }

    /**
     * Starts, fills and warms up the nodes. Blocks.
     *
     * @param generator whose client is connected to the nodes
     * @return the cluster, which the caller closes
     * @throws IOException if a process has ended or gives no answer; no node remains then
     * @throws InterruptedException if the thread is interrupted; no node remains then
     */
    static CaseCluster start(RunContext context, Case of, LoadGenerator generator)
            throws IOException, InterruptedException {
        ServerVariant variant = of.variant();
        ServerPlan plan = of.plan();
        Path data = Files.createTempDirectory(context.scratch(), "nodes");
        Nodes nodes = Nodes.start(plan.client().offering(variant.spec(data, plan.jvm())));
        try {
            LoadRunner load = FilledLoad.of(context, plan, variant.ack(), variant.from(), nodes, generator);
            CaseCluster cluster = new CaseCluster(of, nodes, generator, load, data);
            // Warms up first: compilation under load would count against the first operation.
            cluster.warmUp.run();
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException e) {
            nodes.close();
            throw e;
        }
    }

    Case of() {
        return of;
    }

    Nodes nodes() {
        return nodes;
    }

    /** Reads the counters of the nodes, and those of the load if the plan counts it. Blocks. */
    Counters counters() throws IOException, InterruptedException {
        return nodes.counters(of.plan().costs().includesLoad() ? load.counters() : Optional.empty());
    }

    /**
     * Warms up for one operation alone. Blocks.
     *
     * @return a doubt if the compilers are still at work; empty if they rest
     */
    Optional<String> turnTo(Operation operation) throws IOException, InterruptedException {
        return warmUp.turnTo(operation);
    }

    /**
     * Connects the load again, which other clusters have used in between. Blocks. A client opens its connections at its
     * first operations, so some run here: that cost belongs to no measurement.
     */
    void reconnect(Operation operation) throws IOException, InterruptedException {
        FilledLoad.connect(of.plan(), of.variant().ack(), of.variant().from(), nodes, generator);
        load.run(of.plan().warmUp(operation, CONNECTING_SECONDS));
    }

    /** Runs a load of an operation until the compilers rest at its rate, unless one has run already. Blocks. */
    void settle(Operation operation, LoadSpec spec) throws IOException, InterruptedException {
        if (settled.add(operation)) {
            warmUp.settleAt(spec);
        }
    }

    /** Runs a load. Blocks. */
    LoadResult run(LoadSpec spec) throws IOException, InterruptedException {
        return load.run(spec);
    }

    /** Ends the nodes and deletes their data. Blocks. */
    @Override
    public void close() throws IOException {
        nodes.close();
        Directories.delete(data);
    }
}
