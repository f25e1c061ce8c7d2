package io.dht4j.benchmarks.merge;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Merges three answers to a read in one of two ways: an array whose newest answer is searched at the end, or
 * compare-and-set of the newest so far. Two threads merge reads of their own, since the answers to a read seldom meet
 * in one microsecond; {@link ContendedMergeBenchmark} covers those that do.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Threads(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class MergeBenchmark {

    private static final int ANSWERS = 3;

    /** The way of merging: {@code array} or {@code compare_and_set}. */
    @Param({"array", "compare_and_set"})
    public String way = "";

    private final Entry[] answers = {entry(2), entry(3), entry(1)};

    /** Creates the benchmark; for JMH. */
    public MergeBenchmark() {}

    private static Entry entry(long version) {
        return Entry.value(Key.of("key"), new Version(version), new byte[100], Entry.NEVER);
    }

    /**
     * Merges the answers to one read.
     *
     * @return the newest
     */
    @Benchmark
    public @Nullable Entry merge() {
        Merge merge = Merge.of(way, ANSWERS);
        Entry newest = null;
        for (Entry answer : answers) {
            newest = merge.add(answer);
        }
        return newest;
    }
}
