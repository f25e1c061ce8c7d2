package io.dht4j.benchmarks.placement;

import io.dht4j.Key;
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

/** Makes a key from a text, the first step of most calls. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class KeyBenchmark {

    private static final int TEXTS = 64;
    private static final int LENGTH = 16;

    /** The characters of the texts: ASCII letters; those and a question mark; or Cyrillic letters. */
    @Param({"ascii", "question", "cyrillic"})
    public String letters = "";

    private final String[] texts = new String[TEXTS];
    private int next;

    /** Creates the benchmark; for JMH. */
    public KeyBenchmark() {}

    /** Makes the texts. */
    @Setup
    public void prepare() {
        char first = letters.equals("cyrillic") ? '\u0430' : 'a';
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < TEXTS; i++) {
            StringBuilder text = new StringBuilder();
            while (text.length() < LENGTH) {
                text.append((char) (first + random.nextInt(26)));
            }
            if (letters.equals("question")) {
                text.setCharAt(LENGTH / 2, '?');
            }
            texts[i] = text.toString();
        }
    }

    /**
     * Makes one key.
     *
     * @return the key
     */
    @Benchmark
    public Key keyOfText() {
        next = (next + 1) & (TEXTS - 1);
        return Key.of(texts[next]);
    }
}
