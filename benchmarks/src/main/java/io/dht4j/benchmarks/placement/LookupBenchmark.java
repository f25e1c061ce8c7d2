package io.dht4j.benchmarks.placement;

import io.dht4j.Node;
import io.dht4j.core.HashFunctions;
import io.dht4j.spi.HashFunction;
import io.dht4j.spi.PartitionTable;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** Finds the three replicas of a key: the hash and the table. Keys have a random order, which defeats caches. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class LookupBenchmark {

    private static final int KEYS = 1 << 14;

    /** The strategy. */
    @Param({"ring", "rendezvous", "jump", "modulo", "ring-unbounded", "rendezvous-unbounded", "jump-unbounded"})
    public String placement = "";

    /** The cluster's nodes. */
    @Param("1000")
    public int nodes;

    /** The cluster's partitions. */
    @Param("16384")
    public int partitions;

    private final HashFunction hash = HashFunctions.xxh3();
    private final byte[][] keys = new byte[KEYS][];
    private PartitionTable table = PlacementCandidates.placement("modulo").assign(PlacementCandidates.nodes(1), 1);
    private int next;

    /** Creates the benchmark; for JMH. */
    public LookupBenchmark() {}

    /** Makes the table and the keys. */
    @Setup
    public void prepare() {
        table = PlacementCandidates.placement(placement).assign(PlacementCandidates.nodes(nodes), partitions);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < KEYS; i++) {
            keys[i] = ("user:" + random.nextInt(1_000_000_000)).getBytes(StandardCharsets.UTF_8);
        }
    }

    /**
     * Looks up one key.
     *
     * @param blackhole receives the replicas
     */
    @Benchmark
    public void replicasOfKey(Blackhole blackhole) {
        next = (next + 1) & (KEYS - 1);
        List<Node> replicas = table.replicas(table.partitionOf(hash.hash(keys[next])), 3);
        blackhole.consume(replicas.get(0));
        blackhole.consume(replicas.get(1));
        blackhole.consume(replicas.get(2));
    }
}
