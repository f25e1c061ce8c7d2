package io.dht4j.benchmarks.cluster;

import io.dht4j.benchmarks.files.Directories;
import io.dht4j.benchmarks.load.LoadOptions;
import io.dht4j.benchmarks.load.LoadProgram;
import io.dht4j.benchmarks.load.client.ClientSpec;
import io.dht4j.benchmarks.process.ChildException;
import io.dht4j.benchmarks.process.load.LoadProcess;
import io.dht4j.benchmarks.process.node.NodeProcess;
import io.dht4j.benchmarks.process.node.Nodes;
import io.dht4j.benchmarks.process.node.NodesSpec;
import io.dht4j.benchmarks.stable.StableLoad;
import io.dht4j.benchmarks.stable.StableLoadSearch;
import io.dht4j.benchmarks.stable.StableLoadSpec;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.server.config.Setting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures servers at once, twice and four times their stable load, and their recovery when it falls to a half. Servers
 * and generator are processes of their own on this machine.
 */
@Command(
        name = "overload-load",
        mixinStandardHelpOptions = true,
        description =
                "Open-loop load on three servers at 1, 2 and 4 times their stable load, and at half of it afterwards.")
public final class OverloadLoad implements Callable<Integer> {

    private static final int NODES = 3;
    private static final double P99 = 99;
    private static final Duration FILLING = Duration.ofMinutes(5);

    @Mixin
    private final LoadOptions load = new LoadOptions(20_000, 100_000, 10, 40);

    @Option(names = "--operation", defaultValue = "PUT", description = "PUT or GET (default: ${DEFAULT-VALUE})")
    private Kind operation = Kind.PUT;

    /** The operations. */
    enum Kind {
        PUT,
        GET
    }

    /** The public APIs. */
    enum Api {
        HTTP,
        GRPC
    }

    @Option(names = "--api", defaultValue = "HTTP", description = "HTTP or GRPC (default: ${DEFAULT-VALUE})")
    private Api api = Api.HTTP;

    @Option(
            names = "--connections",
            description = "to each node (default: 64 over HTTP, 2 over gRPC, which carry any number of calls)")
    private Optional<Integer> connections = Optional.empty();

    @Option(names = "--timeout", defaultValue = "1000", description = "milliseconds (default: ${DEFAULT-VALUE})")
    private int timeoutMillis;

    @Option(names = "--heap", defaultValue = "512", description = "of a node, in MiB (default: ${DEFAULT-VALUE})")
    private int heap;

    @Option(
            names = "--first-rate",
            defaultValue = "2000",
            description = "first rate of the search for the stable load, in operations a second (default: "
                    + "${DEFAULT-VALUE})")
    private double firstRate;

    @Option(
            names = "--probe",
            defaultValue = "3",
            description = "seconds for which the search tries a rate (default: ${DEFAULT-VALUE})")
    private double probeSeconds;

    @Option(names = "--rate", description = "the stable load in operations a second, if known; replaces the search")
    private Optional<Double> known = Optional.empty();

    @Option(
            names = "--apart",
            description = "the servers on the first processor and the generator on the second, by taskset")
    private boolean apart;

    /** Creates the command; for picocli. */
    public OverloadLoad() {}

    /**
     * Runs the command line.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        LoadProgram.main(new CommandLine(new OverloadLoad()), args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("overload");
        NodesSpec spec = NodesSpec.of(
                        NODES,
                        directory,
                        Map.of(Setting.TRANSPORT, "grpc", Setting.TIMEOUT, String.valueOf(timeoutMillis)))
                .withJvm(heap, List.of("-XX:+UseSerialGC"))
                .withGrpcApi();
        try (Nodes nodes = Nodes.start(spec);
                LoadProcess process = LoadProcess.start(
                        "load",
                        client(nodes).withTimeoutMillis(2 * timeoutMillis),
                        heap,
                        List.of(),
                        Optional.empty())) {
            if (apart) {
                for (NodeProcess node : nodes.all()) {
                    keepOn(0, node.pid());
                }
                keepOn(1, process.pid());
            }
            process.fill(0, load.keys(), 64, FILLING);
            process.run(spec(50_000, load.warmUp()).withMaxInFlight(64));
            Optional<Double> stable = known.isPresent() ? known : stableLoad(process);
            if (stable.isEmpty()) {
                say("no rate was stable");
                return 1;
            }
            double rate = stable.get();
            say("stable load: %.0f/s; resident memory of each node: %s", rate, memory(nodes));
            for (int times : new int[] {1, 2, 4}) {
                long before = processorMicros(nodes);
                LoadResult result = process.run(spec(times * rate, load.seconds()));
                say(
                        "%dx: %s; %.0f µs of the nodes' processor time for each served; resident memory: %s",
                        times,
                        line(result),
                        (processorMicros(nodes) - before) / (double) Math.max(1, result.served()),
                        memory(nodes));
            }
            for (int second = 1; second <= 8; second++) {
                say("half of it, second %d: %s", second, line(process.run(spec(rate / 2, 1))));
            }
            return 0;
        } finally {
            Directories.delete(directory);
        }
    }

    private ClientSpec client(Nodes nodes) {
        return api == Api.HTTP
                ? ClientSpec.http(nodes.httpAddresses()).withConnections(connections.orElse(64), 1)
                : ClientSpec.grpc(nodes.grpcAddresses()).withConnections(connections.orElse(2), 1);
    }

    private Optional<Double> stableLoad(LoadProcess process) throws IOException, InterruptedException {
        StableLoad stable = StableLoadSearch.find(
                process,
                StableLoadSpec.from(spec(firstRate, probeSeconds))
                        .within(0.1)
                        .lasting(Math.max(load.seconds(), probeSeconds), probeSeconds),
                probe -> say("  %s", line(probe.result())));
        return stable.found() ? Optional.of(stable.perSecond()) : Optional.empty();
    }

    private LoadSpec spec(double rate, double length) {
        return new LoadSpec(
                operation == Kind.PUT ? Operation.PUT : Operation.GET,
                rate,
                0,
                length,
                load.keys(),
                load.inFlight(),
                1,
                (long) rate);
    }

    private static String line(LoadResult result) {
        return String.format(
                Locale.ROOT,
                "%.0f/s offered, %d served of %d in %.2f s (%.0f/s), %d failed, %d not sent, p50 %.1f ms, p99 "
                        + "%.1f ms, stolen %.1f %%, errors %s",
                result.spec().perSecond(),
                result.served(),
                result.offered(),
                result.tookSeconds(),
                result.servedPerSecond(),
                result.failed(),
                result.notSent(),
                result.latency().micros(50) / 1e3,
                result.latency().micros(P99) / 1e3,
                result.conditions().stolenPercent(),
                result.errors());
    }

    /** Restricts a process to one processor, with the threads that it starts later. */
    private static void keepOn(int processor, long pid) throws IOException, InterruptedException {
        Process taskset = new ProcessBuilder(
                        "taskset", "--all-tasks", "--cpu-list", "--pid", String.valueOf(processor), String.valueOf(pid))
                .redirectErrorStream(true)
                .start();
        String said = new String(taskset.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        if (taskset.waitFor() != 0) {
            throw new IOException("taskset cannot keep process " + pid + " on processor " + processor + ": " + said);
        }
    }

    /** Restricts the generator to the other processors: beside it a node would be slower for the same work. */
    private static long processorMicros(Nodes nodes) throws ChildException, InterruptedException {
        long sum = 0;
        for (NodeProcess node : nodes.all()) {
            sum += node.counters().values().getOrDefault(Cost.CPU_MICROS, 0L);
        }
        return sum;
    }

    /** Returns the greatest value of each node since its start. */
    private static String memory(Nodes nodes) throws IOException {
        StringBuilder text = new StringBuilder();
        for (NodeProcess node : nodes.all()) {
            try (Stream<String> lines = Files.lines(Path.of("/proc", String.valueOf(node.pid()), "status"))) {
                text.append(lines.filter(line -> line.startsWith("VmHWM") || line.startsWith("VmRSS"))
                        .map(line -> line.replaceAll("\\s+", " "))
                        .toList());
            }
        }
        return text.toString();
    }

    private static void say(String format, Object... values) {
        System.out.printf(Locale.ROOT, format + "%n", values);
    }
}
