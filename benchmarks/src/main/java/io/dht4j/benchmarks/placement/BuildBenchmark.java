package io.dht4j.benchmarks.placement;

import io.dht4j.Topology;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Placement;
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

/** Makes the table of a topology. A first table is made cold, so the single shots of each fork count. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(3)
@Warmup(iterations = 0)
@Measurement(iterations = 3)
public class BuildBenchmark {

    /** The strategy. */
    @Param({"ring", "rendezvous", "jump", "modulo", "ring-unbounded", "rendezvous-unbounded", "jump-unbounded"})
    public String placement = "";

    /** The cluster's nodes. */
    @Param("1000")
    public int nodes;

    /** The cluster's partitions. */
    @Param("16384")
    public int partitions;

    private Placement strategy = PlacementCandidates.placement("modulo");
    private Topology topology = PlacementCandidates.nodes(1);

    /** Creates the benchmark; for JMH. */
    public BuildBenchmark() {}

    /** Makes the topology. */
    @Setup
    public void prepare() {
        strategy = PlacementCandidates.placement(placement);
        topology = PlacementCandidates.nodes(nodes);
    }

    /**
     * Makes one table.
     *
     * @return the table
     */
    @Benchmark
    public PartitionTable assign() {
        return strategy.assign(topology, partitions);
    }
}
