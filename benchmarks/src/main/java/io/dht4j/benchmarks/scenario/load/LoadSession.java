package io.dht4j.benchmarks.scenario.load;

import io.dht4j.benchmarks.files.Directories;
import io.dht4j.benchmarks.load.client.ClientSpec;
import io.dht4j.benchmarks.load.client.RunningCluster;
import io.dht4j.benchmarks.load.closed.Preload;
import io.dht4j.benchmarks.process.load.LoadProcesses;
import io.dht4j.benchmarks.process.node.Nodes;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.server.ServerVariant;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.load.LoadDriver;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Load processes that are connected to a cluster and have written the keys. Confined to one thread. */
public final class LoadSession implements LoadDriver, AutoCloseable {

    private static final Duration FILLING = Duration.ofMinutes(60);

    private final RunContext context;
    private final LoadPlan plan;
    private Optional<Path> data = Optional.empty();
    private Optional<Nodes> nodes = Optional.empty();
    private Optional<LoadProcesses> load = Optional.empty();
    /** The client of a running cluster, which deletes the keys. */
    private Optional<ClientSpec> written = Optional.empty();

    private LoadSession(RunContext context, LoadPlan plan) {
        this.context = context;
        this.plan = plan;
    }

    /**
     * Starts the nodes of a variant, or uses the targets of the plan, and writes the keys. Blocks.
     *
     * @param context the environment
     * @param plan of the load
     * @param variant of the nodes; without effect if the plan has targets
     * @return the session, which the caller closes
     * @throws IOException if a process fails or a node does not answer; then all processes are ended
     * @throws InterruptedException if the thread is interrupted; then all processes are ended
     */
    public static LoadSession open(RunContext context, LoadPlan plan, ServerVariant variant)
            throws IOException, InterruptedException {
        LoadSession session = new LoadSession(context, plan);
        try {
            session.open(
                    plan.targets().isPresent() ? session.target(plan.targets().get()) : session.start(variant));
            return session;
        } catch (IOException | InterruptedException | RuntimeException e) {
            session.close();
            throw e;
        }
    }

    private ClientSpec target(Targets targets) throws IOException, InterruptedException {
        ClientSpec client = targets.client(plan.client());
        if (targets.cleanUp() == Targets.CleanUp.BOTH) {
            try (RunningCluster cluster = new RunningCluster(client)) {
                cluster.deleteKeys();
            }
        }
        if (targets.cleanUp() == Targets.CleanUp.OFF) {
            context.announce("The keys that begin with " + targets.keyPrefix() + " remain in the cluster.");
        } else {
            written = Optional.of(client);
        }
        return client;
    }

    private ClientSpec start(ServerVariant variant) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory(context.scratch(), "nodes");
        data = Optional.of(directory);
        Nodes started = Nodes.start(plan.client().offering(variant.spec(directory, plan.jvm())));
        nodes = Optional.of(started);
        return plan.client().spec(started).withPolicy(variant.ack(), variant.from());
    }

    private void open(ClientSpec client) throws IOException, InterruptedException {
        LoadProcesses processes =
                LoadProcesses.start(plan.processes(), plan.sized(client), plan.heapMegabytes(), plan.loadFlags());
        load = Optional.of(processes);
        processes.fill(plan.keys(), Preload.inFlight(plan.valueSizes().largest()), FILLING);
    }

    @Override
    public LoadResult run(LoadSpec spec) throws IOException, InterruptedException {
        LoadResult result = load.orElseThrow().run(spec);
        if (result.failed() > 0 && nodes.isPresent()) {
            nodes.get().ping();
        }
        return result;
    }

    /**
     * Reads the counters of the nodes. Blocks.
     *
     * @return the counters; empty for nodes that others started, which have none to read
     */
    public Optional<Counters> counters() throws IOException, InterruptedException {
        return nodes.isPresent() ? Optional.of(nodes.get().counters()) : Optional.empty();
    }

    /** Ends processes and nodes, and deletes data and keys. Blocks. */
    @Override
    public void close() throws IOException {
        load.ifPresent(LoadProcesses::close);
        written.ifPresent(this::deleteKeys);
        nodes.ifPresent(Nodes::close);
        if (data.isPresent()) {
            Directories.delete(data.get());
        }
    }

    private void deleteKeys(ClientSpec client) {
        try (RunningCluster cluster = new RunningCluster(client)) {
            long deleted = cluster.deleteKeys();
            context.announce(
                    deleted == 0
                            ? "No key that begins with " + client.keyPrefix() + " was there to delete."
                            : "The " + deleted + " keys that begin with " + client.keyPrefix() + " were deleted.");
        } catch (IOException e) {
            context.announce("Keys that begin with " + client.keyPrefix()
                    + " remain in the cluster, which did not delete them (" + e.getMessage()
                    + "); --clean-up both deletes them before the next run.");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            context.announce("Keys that begin with " + client.keyPrefix()
                    + " remain in the cluster; --clean-up both deletes them before the next run.");
        }
    }
}
