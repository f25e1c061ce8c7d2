package io.dht4j.benchmarks.placement;

import io.dht4j.core.HashFunctions;
import io.dht4j.spi.HashFunction;
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

/** Hashes a key, by function and length. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class HashBenchmark {

    private static final int KEYS = 64;

    /** The function. */
    @Param({"xxh3", "murmur3", "siphash", "string"})
    public String function = "";

    /** The key's length in bytes, all of them letters. */
    @Param({"8", "16", "64", "256", "4096"})
    public int length;

    private HashFunction hash = HashFunctions.xxh3();
    private final byte[][] keys = new byte[KEYS][];
    private int next;

    /** Creates the benchmark; for JMH. */
    public HashBenchmark() {}

    /** Makes the keys. */
    @Setup
    public void prepare() {
        hash = switch (function) {
            case "xxh3" -> HashFunctions.xxh3();
            case "murmur3" -> HashFunctions.murmur3();
            case "siphash" -> HashFunctions.sipHash(new byte[16]);
            case "string" -> HashFunctions.stringHashCode();
            default -> throw new IllegalArgumentException("no hash function is named " + function);
        };
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < KEYS; i++) {
            keys[i] = new byte[length];
            for (int at = 0; at < length; at++) {
                keys[i][at] = (byte) random.nextInt('a', 'z' + 1);
            }
        }
    }

    /**
     * Computes one hash.
     *
     * @return the hash
     */
    @Benchmark
    public long hash() {
        next = (next + 1) & (KEYS - 1);
        return hash.hash(keys[next]);
    }
}
