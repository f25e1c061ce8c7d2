package io.dht4j.benchmarks.transports;

import io.dht4j.benchmarks.load.LoadOptions;
import io.dht4j.benchmarks.load.LoadProgram;
import io.dht4j.benchmarks.load.closed.InterleavedRuns;
import io.dht4j.benchmarks.load.closed.Variant;
import io.dht4j.core.options.Batching;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures each transport in one run, in rotating order: {@code R}, echoes of the bare library; {@code U}, puts at 2/3
 * on three nodes with a frame for each request; {@code B}, the same with batching. Then puts at 3/3 beside
 * Infinispan's.
 */
@Command(
        name = "transports-load",
        mixinStandardHelpOptions = true,
        description = "Closed-loop load on bare libraries and on three nodes in one process, memory stores.")
public final class TransportsLoad implements Callable<Integer> {

    /** The greatest warm-up as a multiple of the least, if the compilers stay busy. */
    private static final int LONGEST_WARM_UP = 4;

    @Mixin
    private final LoadOptions load = new LoadOptions(64, 20_000, 4, 5);

    @Option(
            names = "--only",
            split = ",",
            description = "transports out of vertx, vertx-pipelined, vertx-h2, webclient, jdk, jdk-h2, one-nio,"
                    + " grpc-unary, grpc-stream, tcp (default: all)")
    private List<String> only = List.of();

    @Option(names = "--value-bytes", defaultValue = "100", description = "size of a value (default: ${DEFAULT-VALUE})")
    private int valueBytes;

    @Option(
            names = "--repetitions",
            defaultValue = "5",
            description = "repetitions of each (default: ${DEFAULT-VALUE})")
    private int repetitions;

    @Option(names = "--no-infinispan", description = "leaves out the comparison with Infinispan")
    private boolean withoutInfinispan;

    @Option(
            names = "--max-frames",
            description = "frames in flight to a node before requests wait for each other (default: the library's)")
    private int maxFrames;

    /** Creates the command; for picocli. */
    public TransportsLoad() {}

    /**
     * Runs the command line.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        LoadProgram.main(new CommandLine(new TransportsLoad()), args);
    }

    @Override
    public Integer call() throws Exception {
        Batching batching = maxFrames == 0
                ? Batching.on()
                : new Batching(true, Batching.on().maxEntries(), Batching.on().maxBytes(), maxFrames);
        try (TransportVariants variants = TransportVariants.start(new TransportVariants.Spec(
                (only.isEmpty() ? BuiltInTransport.names() : only)
                        .stream().map(BuiltInTransport::named).toList(),
                load.inFlight(),
                valueBytes,
                load.keys(),
                batching,
                !withoutInfinispan))) {
            System.out.printf(
                    Locale.ROOT, "%d in flight, %d-byte values, %d keys%n", load.inFlight(), valueBytes, load.keys());
            new InterleavedRuns(
                            load.inFlight(),
                            load.warmUp(),
                            LONGEST_WARM_UP * load.warmUp(),
                            load.seconds(),
                            repetitions)
                    .run(variants.all());
            print(variants);
        }
        return 0;
    }

    private static void print(TransportVariants variants) {
        System.out.println("| transport | R: echoes/s | U: puts/s | U/R | B: puts/s | B/R | bytes allocated R, U, B |");
        System.out.println("|---|---|---|---|---|---|---|");
        for (TransportVariants.Row row : variants.rows()) {
            // The library's own transports all have one.
            Variant bare = row.bare().orElseThrow();
            System.out.printf(
                    Locale.ROOT,
                    "| `%s` | %s | %s | %.2f | %s | %.2f | %,.0f, %,.0f, %,.0f |%n",
                    row.name(),
                    bare.rates(),
                    row.unbatched().rates(),
                    row.unbatched().rate() / bare.rate(),
                    row.batched().rates(),
                    row.batched().rate() / bare.rate(),
                    bare.allocated(),
                    row.unbatched().allocated(),
                    row.batched().allocated());
        }
        variants.threeOfThree().ifPresent(TransportsLoad::print);
    }

    private static void print(TransportVariants.Pair pair) {
        System.out.println();
        System.out.println("| puts at 3 of 3 | per second | bytes allocated |");
        System.out.println("|---|---|---|");
        System.out.printf(
                Locale.ROOT,
                "| dht4j over %s | %s | %,.0f |%n",
                TransportVariants.COMPARED,
                pair.ours().rates(),
                pair.ours().allocated());
        System.out.printf(
                Locale.ROOT,
                "| Infinispan, `putAsync` | %s | %,.0f |%n",
                pair.theirs().rates(),
                pair.theirs().allocated());
        System.out.printf(
                Locale.ROOT,
                "%nratio %.2f%n",
                pair.ours().rate() / pair.theirs().rate());
    }
}
