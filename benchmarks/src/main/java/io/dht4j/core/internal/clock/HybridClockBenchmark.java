package io.dht4j.core.internal.clock;

import io.dht4j.Version;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** Gives versions, and observes those of others. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class HybridClockBenchmark {

    private final HybridClock clock = new HybridClock(System::currentTimeMillis, System::nanoTime, 60_000, 0, 4);

    /** Creates the benchmark; for JMH. */
    public HybridClockBenchmark() {}

    /**
     * Gives a version, by one thread.
     *
     * @return the version
     */
    @Benchmark
    public Version next() {
        return clock.next();
    }

    /**
     * Gives a version, by two threads at the same time.
     *
     * @return the version
     */
    @Benchmark
    @Threads(2)
    public Version nextContended() {
        return clock.next();
    }

    /**
     * Observes the sender's clock of a frame, which is seldom ahead.
     *
     * @return whether the clock is plausible
     */
    @Benchmark
    public boolean observe() {
        return clock.observe(clock.current());
    }
}
