package io.dht4j.benchmarks.store;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.benchmarks.files.Directories;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Store;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.store.mvstore.MvStore;
import io.dht4j.store.mvstore.MvStoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Reads and writes a store with 100,000 keys of 100 bytes, by one thread. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class StoreBenchmark {

    private static final int KEYS = 100_000;

    /** The store. */
    @Param({"memory", "mvstore"})
    public String kind = "";

    private final Key[] keys = new Key[KEYS];
    private final byte[] value = new byte[100];
    private final SplittableRandom random = new SplittableRandom(1);
    private Store store = new MemoryStore();
    private Path directory = Path.of("");
    private long version;

    /** Creates the benchmark; for JMH. */
    public StoreBenchmark() {}

    /**
     * Fills the store.
     *
     * @throws IOException if writing temporary files fails
     */
    @Setup
    public void prepare() throws IOException {
        random.nextBytes(value);
        directory = Files.createTempDirectory("dht4j-store-benchmark");
        if (kind.equals("mvstore")) {
            store = MvStore.open(directory.resolve("data"), MvStoreOptions.defaults());
        }
        for (int i = 0; i < KEYS; i++) {
            keys[i] = Key.of("key-%08d".formatted(i));
            store.apply(List.of(entry(keys[i])));
        }
    }

    /**
     * Deletes the store.
     *
     * @throws IOException if that fails
     */
    @TearDown
    public void delete() throws IOException {
        store.close();
        Directories.delete(directory);
    }

    /**
     * Reads a key.
     *
     * @return its entry
     */
    @Benchmark
    public Optional<Entry> get() {
        return store.get(anyKey());
    }

    /** Writes a key, which {@code mvstore} keeps through the end of the process. */
    @Benchmark
    public void apply() {
        store.apply(List.of(entry(anyKey())));
    }

    private Key anyKey() {
        return keys[random.nextInt(KEYS)];
    }

    private Entry entry(Key key) {
        return Entry.value(key, new Version(++version), value, Entry.NEVER);
    }
}
