package io.dht4j.benchmarks.transports;

import io.dht4j.benchmarks.load.Cell;
import io.dht4j.benchmarks.load.Comparison;
import io.dht4j.core.Batching;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * What each transport costs, in one run with the candidates in rotating order: {@code R}, echoes of the bare library; {@code U},
 * puts at 2/3 on three nodes with a frame for each request; {@code B}, the same with batching. Then puts at 3/3 beside
 * Infinispan's.
 */
@Command(
        name = "transports-load",
        mixinStandardHelpOptions = true,
        description = "Closed-loop load on bare libraries and on three nodes in one process, memory stores.")
public final class TransportsLoad implements Callable<Integer> {

    /** A frame with a put of a 100-byte value has about this size; an echo carries as much. */
    private static final int FRAME_BYTES = 160;

    private static final String COMPARED = "grpc-stream";

    @Option(
            names = "--only",
            split = ",",
            description = "transports out of vertx, vertx-pipelined, vertx-h2, webclient, jdk, jdk-h2, one-nio,"
                    + " grpc-unary, grpc-stream (default: all)")
    private List<String> only = List.of();

    @Option(
            names = "--in-flight",
            defaultValue = "64",
            description = "operations under way (default: ${DEFAULT-VALUE})")
    private int inFlight;

    @Option(names = "--value-bytes", defaultValue = "100", description = "size of a value (default: ${DEFAULT-VALUE})")
    private int valueBytes;

    @Option(names = "--keys", defaultValue = "20000", description = "different keys (default: ${DEFAULT-VALUE})")
    private int keyCount;

    @Option(names = "--seconds", defaultValue = "4", description = "length of a repetition (default: ${DEFAULT-VALUE})")
    private double seconds;

    @Option(
            names = "--repetitions",
            defaultValue = "5",
            description = "repetitions of each (default: ${DEFAULT-VALUE})")
    private int repetitions;

    @Option(
            names = "--warm-up",
            defaultValue = "5",
            description = "seconds of each before measuring (default: ${DEFAULT-VALUE})")
    private double warmUp;

    @Option(names = "--no-infinispan", description = "leave the comparison with Infinispan out")
    private boolean withoutInfinispan;

    @Option(
            names = "--max-frames",
            description = "frames under way to a node before requests wait for each other (default: the library's)")
    private int maxFrames;

    /** For picocli. */
    public TransportsLoad() {}

    /** A transport's three cells. */
    private record Row(String name, Cell bare, Cell unbatched, Cell batched) {}

    /**
     * Runs the command line.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        System.exit(new CommandLine(new TransportsLoad()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        List<Candidate> candidates = only.isEmpty()
                ? Candidate.all(inFlight)
                : only.stream().map(name -> Candidate.named(name, inFlight)).toList();
        Batching batching = maxFrames == 0
                ? Batching.on()
                : new Batching(true, Batching.on().maxEntries(), Batching.on().maxBytes(), maxFrames);
        String[] keys = new String[keyCount];
        for (int i = 0; i < keyCount; i++) {
            keys[i] = "key-%08d".formatted(i);
        }
        byte[] value = new byte[valueBytes];
        Arrays.fill(value, (byte) 'v');
        byte[] frame = new byte[FRAME_BYTES];

        List<AutoCloseable> running = new ArrayList<>();
        try {
            List<Row> rows = new ArrayList<>();
            for (Candidate candidate : candidates) {
                Echo echo = candidate.echo().call();
                running.add(echo);
                Putting unbatched = new ThreeNodes(
                        candidate.transport(), builder -> builder.batching(Batching.off()), 2, keys, value);
                running.add(unbatched);
                Putting batched =
                        new ThreeNodes(candidate.transport(), builder -> builder.batching(batching), 2, keys, value);
                running.add(batched);
                rows.add(new Row(
                        candidate.name(),
                        new Cell(slot -> echo.call(frame)),
                        new Cell(puts(unbatched)),
                        new Cell(puts(batched))));
            }
            List<Cell> cells = new ArrayList<>();
            rows.forEach(row -> cells.addAll(List.of(row.bare(), row.unbatched(), row.batched())));
            List<Cell> threeOfThree = new ArrayList<>();
            if (!withoutInfinispan) {
                Putting ours = new ThreeNodes(
                        Candidate.named(COMPARED, inFlight).transport(),
                        builder -> builder.batching(batching),
                        3,
                        keys,
                        value);
                running.add(ours);
                Putting theirs = new InfinispanNodes(keys, value);
                running.add(theirs);
                threeOfThree.add(new Cell(puts(ours)));
                threeOfThree.add(new Cell(puts(theirs)));
                cells.addAll(threeOfThree);
            }
            System.out.printf(Locale.ROOT, "%d in flight, %d-byte values, %d keys%n", inFlight, valueBytes, keyCount);
            new Comparison(inFlight, warmUp, seconds, repetitions).run(cells);
            print(rows, threeOfThree);
        } finally {
            for (AutoCloseable each : running) {
                each.close();
            }
        }
        return 0;
    }

    private IntFunction<CompletionStage<?>> puts(Putting cluster) {
        return slot -> cluster.put(slot % 3, ThreadLocalRandom.current().nextInt(keyCount));
    }

    private static void print(List<Row> rows, List<Cell> threeOfThree) {
        System.out.println("| transport | R: echoes/s | U: puts/s | U/R | B: puts/s | B/R | bytes allocated R, U, B |");
        System.out.println("|---|---|---|---|---|---|---|");
        for (Row row : rows) {
            System.out.printf(
                    Locale.ROOT,
                    "| `%s` | %s | %s | %.2f | %s | %.2f | %,.0f, %,.0f, %,.0f |%n",
                    row.name(),
                    row.bare().rates(),
                    row.unbatched().rates(),
                    row.unbatched().rate() / row.bare().rate(),
                    row.batched().rates(),
                    row.batched().rate() / row.bare().rate(),
                    row.bare().allocated(),
                    row.unbatched().allocated(),
                    row.batched().allocated());
        }
        if (!threeOfThree.isEmpty()) {
            System.out.println();
            System.out.println("| puts at 3 of 3 | per second | bytes allocated |");
            System.out.println("|---|---|---|");
            List<String> names = List.of("dht4j over " + COMPARED, "Infinispan, `putAsync`");
            for (int i = 0; i < names.size(); i++) {
                Cell cell = threeOfThree.get(i);
                System.out.printf(Locale.ROOT, "| %s | %s | %,.0f |%n", names.get(i), cell.rates(), cell.allocated());
            }
            System.out.printf(
                    Locale.ROOT,
                    "%nratio %.2f%n",
                    threeOfThree.get(0).rate() / threeOfThree.get(1).rate());
        }
    }
}
