package io.dht4j.benchmarks.merge;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Control;

/**
 * Merges two answers to a read that two threads deliver at the same moment, the worst case of a merge. The
 * synchronization of the threads takes most of the time; {@code nothing} measures it alone.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ContendedMergeBenchmark {

    private static final int ANSWERS = 2;

    /** The way of merging: {@code nothing}, {@code array} or {@code compare_and_set}. */
    @Param({"nothing", "array", "compare_and_set"})
    public String way = "";

    private final Entry older = entry(1);
    private final Entry newer = entry(2);
    /** The current read of both threads. Set before {@link #begun}. */
    private @Nullable Merge read;

    private final AtomicLong begun = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();

    /** Creates the benchmark; for JMH. */
    public ContendedMergeBenchmark() {}

    private static Entry entry(long version) {
        return Entry.value(Key.of("key"), new Version(version), new byte[100], Entry.NEVER);
    }

    /**
     * Begins a read, and delivers one of its answers.
     *
     * @param control reports when the other thread may have ended
     * @return the newest if this was the last answer
     */
    @Benchmark
    @Group("meeting")
    @GroupThreads(1)
    public @Nullable Entry first(Control control) {
        while (ended.get() != begun.get()) {
            if (control.stopMeasurement) {
                return null;
            }
            Thread.onSpinWait();
        }
        Merge merge = Merge.of(way, ANSWERS);
        read = merge;
        begun.incrementAndGet();
        return merge.add(newer);
    }

    /**
     * Waits for a read, and delivers its other answer.
     *
     * @param control reports when the other thread may have ended
     * @return the newest if this was the last answer
     */
    @Benchmark
    @Group("meeting")
    @GroupThreads(1)
    public @Nullable Entry second(Control control) {
        while (ended.get() == begun.get()) {
            if (control.stopMeasurement) {
                return null;
            }
            Thread.onSpinWait();
        }
        Merge merge = read;
        Entry newest = merge == null ? null : merge.add(older);
        ended.incrementAndGet();
        return newest;
    }
}
