package io.dht4j.benchmarks.cluster;

import com.fasterxml.jackson.databind.JsonNode;
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
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import io.dht4j.server.config.Setting;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures how long two servers take to deliver a killed third one its missed writes, while they serve half of their
 * stable load. Servers and generators are processes of their own on this machine.
 */
@Command(
        name = "handoff-load",
        mixinStandardHelpOptions = true,
        description =
                "Kills one of three servers, writes, starts it again under half of the stable load, and waits until"
                        + " it has all hints.")
public final class HandoffLoad implements Callable<Integer> {

    private static final int NODES = 3;
    private static final Duration FILLING = Duration.ofMinutes(5);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final long LOOK_MILLIS = 100;

    @Mixin
    private final LoadOptions load = new LoadOptions(20_000, 100_000, 40, 40);

    @Option(names = "--missed", defaultValue = "100000", description = "writes (default: ${DEFAULT-VALUE})")
    private long missed;

    @Option(
            names = "--missed-bytes",
            defaultValue = "1000",
            description = "of the value of each of them (default: ${DEFAULT-VALUE})")
    private int missedBytes;

    @Option(names = "--repetitions", defaultValue = "3", description = "repetitions (default: ${DEFAULT-VALUE})")
    private int repetitions;

    @Option(names = "--heap", defaultValue = "1024", description = "of a node, in MiB (default: ${DEFAULT-VALUE})")
    private int heap;

    @Option(
            names = "--first-rate",
            defaultValue = "4000",
            description = "first rate of the search for the stable load, in operations a second (default: "
                    + "${DEFAULT-VALUE})")
    private double firstRate;

    @Option(
            names = "--probe",
            defaultValue = "5",
            description = "seconds for which the search tries a rate (default: ${DEFAULT-VALUE})")
    private double probeSeconds;

    @Option(
            names = "--rate",
            description = "operations a second during the handoff (default: half of the stable load, after a search)")
    private Optional<Double> rate = Optional.empty();

    /** Creates the command; for picocli. */
    public HandoffLoad() {}

    /**
     * Runs the command line.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        LoadProgram.main(new CommandLine(new HandoffLoad()), args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException, ClientException, ExecutionException {
        Path directory = Files.createTempDirectory("handoff");
        NodesSpec spec = NodesSpec.of(NODES, directory, Map.of(Setting.TRANSPORT, "grpc"))
                .withJvm(heap, List.of("-XX:+UseSerialGC", "-XX:ActiveProcessorCount=1"));
        try (Nodes nodes = Nodes.start(spec)) {
            List<String> serving = nodes.httpAddresses().subList(0, NODES - 1);
            ClientSpec client = ClientSpec.http(serving).withConnections(64, 1);
            try (LoadProcess generator = generator("load", client);
                    LoadProcess writer = generator("missed", client.withValueBytes(missedBytes))) {
                List<DhtClient> clients = serving.stream()
                        .map(address -> new DhtClient(List.of(URI.create("http://" + address)), PATIENCE))
                        .toList();
                return measure(nodes, clients, generator, writer);
            }
        } finally {
            Directories.delete(directory);
        }
    }

    private LoadProcess generator(String name, ClientSpec client) throws IOException, InterruptedException {
        return LoadProcess.start(name, client, heap, List.of(), Optional.empty());
    }

    private int measure(Nodes nodes, List<DhtClient> serving, LoadProcess generator, LoadProcess writer)
            throws IOException, InterruptedException, ClientException, ExecutionException {
        generator.fill(0, load.keys(), 64, FILLING);
        generator.run(spec(50_000, load.warmUp()).withMaxInFlight(64));
        double half = rate.isPresent() ? rate.get() : halfOfStable(generator);
        List<Double> seconds = new ArrayList<>();
        NodeProcess third = nodes.all().get(NODES - 1);
        try {
            for (int repetition = 0; repetition < repetitions; repetition++) {
                third.kill();
                writer.fill(0, missed, 64, FILLING);
                say("%,d hint bytes are kept", hintBytes(serving));
                ExecutorService background = Executors.newSingleThreadExecutor();
                try {
                    Future<LoadResult> running = background.submit(() -> generator.run(spec(half, load.seconds())));
                    third = third.startAgain();
                    seconds.add(untilHandedOver(serving));
                    say("handed over %.1f s after it listened again; %s", seconds.get(repetition), line(running.get()));
                } finally {
                    background.shutdown();
                }
            }
        } finally {
            third.close();
        }
        seconds.sort(null);
        say(
                "median %.1f s (%.1f to %.1f)",
                seconds.get(seconds.size() / 2), seconds.get(0), seconds.get(seconds.size() - 1));
        return 0;
    }

    private double halfOfStable(LoadProcess generator) throws IOException, InterruptedException {
        StableLoad stable = StableLoadSearch.find(
                generator,
                StableLoadSpec.from(spec(firstRate, probeSeconds)).within(0.1).lasting(2 * probeSeconds, probeSeconds),
                probe -> {});
        if (!stable.found()) {
            throw new ChildException("no rate was stable");
        }
        say("stable load of three nodes, of which two are asked: %.0f/s", stable.perSecond());
        return stable.perSecond() / 2;
    }

    private static double untilHandedOver(List<DhtClient> serving)
            throws InterruptedException, ClientException, ChildException {
        long listens = System.nanoTime();
        while (hintBytes(serving) > 0) {
            if (System.nanoTime() - listens > PATIENCE.toNanos()) {
                throw new ChildException("hints are left after " + PATIENCE.toSeconds() + " s");
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        return (System.nanoTime() - listens) / 1e9;
    }

    /** Returns the sum over all serving nodes. */
    private static long hintBytes(List<DhtClient> serving) throws ClientException, ChildException {
        long bytes = 0;
        for (DhtClient client : serving) {
            JsonNode status = DhtClient.await(client.status());
            long dropped = status.get("hint_bytes_dropped").asLong();
            if (dropped > 0) {
                throw new ChildException(dropped + " bytes of hints were dropped and not handed over");
            }
            bytes += status.get("hint_bytes").asLong();
        }
        return bytes;
    }

    private LoadSpec spec(double rate, double length) {
        return new LoadSpec(Operation.PUT, rate, 0, length, load.keys(), load.inFlight(), 1, (long) rate);
    }

    private static String line(LoadResult result) {
        return String.format(
                Locale.ROOT,
                "%.0f/s offered, %d served of %d, %d failed, %d not sent, p50 %.1f ms, p99 %.1f ms, stolen %.1f %%",
                result.spec().perSecond(),
                result.served(),
                result.offered(),
                result.failed(),
                result.notSent(),
                result.latency().micros(50) / 1e3,
                result.latency().micros(99) / 1e3,
                result.conditions().stolenPercent());
    }

    private static void say(String format, Object... values) {
        System.out.printf(Locale.ROOT, format + "%n", values);
    }
}
