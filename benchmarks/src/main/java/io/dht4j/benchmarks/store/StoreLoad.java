package io.dht4j.benchmarks.store;

import com.sun.management.OperatingSystemMXBean;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.benchmarks.files.DirectorySize;
import io.dht4j.benchmarks.load.LoadProgram;
import io.dht4j.lab.internal.counters.StolenTime;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Store;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.store.mvstore.Durability;
import io.dht4j.store.mvstore.MvStore;
import io.dht4j.store.mvstore.MvStoreOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures a store: random puts of many writers, the size of its files during and after, and reads of one thread. */
@Command(
        name = "store-load",
        mixinStandardHelpOptions = true,
        description = "Random puts by many writers, then a pause, then reads by one thread.")
public final class StoreLoad implements Callable<Integer> {

    /** The bytes of a live entry without its value: key, version, expiry, lengths. */
    private static final int OVERHEAD_BYTES = 40;

    private enum Kind {
        MVSTORE,
        MEMORY
    }

    @Option(names = "--store", defaultValue = "MVSTORE", description = "${COMPLETION-CANDIDATES}")
    private Kind kind = Kind.MVSTORE;

    @Option(names = "--directory", description = "for the store's files, empty (default: a temporary one)")
    private Optional<Path> directory = Optional.empty();

    @Option(names = "--durability", defaultValue = "OS", description = "${COMPLETION-CANDIDATES}")
    private Durability durability = Durability.OS;

    @Option(names = "--cache-mib", description = "page cache (default: the store's)")
    private Optional<Long> cacheMib = Optional.empty();

    @Option(names = "--memtable-mib", description = "table of new writes (default: the store's)")
    private Optional<Long> memtableMib = Optional.empty();

    @Option(names = "--max-frozen", description = "tables that wait for the merge (default: the store's)")
    private Optional<Integer> maxFrozen = Optional.empty();

    @Option(names = "--puts", defaultValue = "3000000", description = "puts in all (default: ${DEFAULT-VALUE})")
    private long puts;

    @Option(names = "--keys", defaultValue = "1000000", description = "different keys (default: ${DEFAULT-VALUE})")
    private int keys;

    @Option(names = "--value-bytes", defaultValue = "100", description = "size of a value (default: ${DEFAULT-VALUE})")
    private int valueBytes;

    @Option(names = "--writers", defaultValue = "64", description = "threads that put (default: ${DEFAULT-VALUE})")
    private int writers;

    @Option(names = "--batch", defaultValue = "1", description = "entries of one apply (default: ${DEFAULT-VALUE})")
    private int batch;

    @Option(
            names = "--settle-seconds",
            defaultValue = "120",
            description = "longest pause after the puts (default: ${DEFAULT-VALUE})")
    private int settleSeconds;

    @Option(
            names = "--read-seconds",
            defaultValue = "5",
            description = "length of each of the five read phases (default: ${DEFAULT-VALUE})")
    private int readSeconds;

    /** Creates the command; for picocli. */
    public StoreLoad() {}

    /**
     * Runs the command line.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        LoadProgram.main(new CommandLine(new StoreLoad()).setCaseInsensitiveEnumValuesAllowed(true), arguments);
    }

    @Override
    public Integer call() throws Exception {
        Path files = directory.isPresent() ? directory.get() : Files.createTempDirectory("dht4j-store-load");
        DirectorySize size = new DirectorySize(files);
        print(
                "%s %s, %d puts of %d bytes over %d keys by %d writers, %d a call, in %s%n",
                kind, durability, puts, valueBytes, keys, writers, batch, files);
        try (Store store = open(files)) {
            measurePuts(store, size);
            settle(size);
            measureReads(store);
            measureScan(store);
        }
        print("closed: %s%n", room(size.bytes()));
        long begin = System.nanoTime();
        try (Store store = open(files)) {
            print("reopened in %.2f s with %d entries%n", seconds(begin), store.entries());
        }
        if (directory.isEmpty()) {
            delete(files);
        }
        return 0;
    }

    private Store open(Path files) {
        if (kind == Kind.MEMORY) {
            return new MemoryStore();
        }
        MvStoreOptions options = MvStoreOptions.defaults().withDurability(durability);
        options = cacheMib.map(mib -> mib << 20).map(options::withCacheBytes).orElse(options);
        options = memtableMib
                .map(mib -> mib << 20)
                .map(options::withMemtableBytes)
                .orElse(options);
        options = maxFrozen.map(options::withMaxFrozen).orElse(options);
        return MvStore.open(files, options);
    }

    private void measurePuts(Store store, DirectorySize size) throws InterruptedException, ExecutionException {
        StolenTime stolen = new StolenTime();
        AtomicLong versions = new AtomicLong(System.currentTimeMillis() << Version.COUNTER_BITS);
        AtomicLong done = new AtomicLong();
        ExecutorService threads = Executors.newFixedThreadPool(writers);
        List<Future<Histogram>> running = new ArrayList<>();
        long cpuBegin = processCpuNanos();
        long begin = System.nanoTime();
        for (int writer = 0; writer < writers; writer++) {
            long seed = writer;
            long share = puts / writers + (writer < puts % writers ? 1 : 0);
            running.add(threads.submit(() -> put(store, new SplittableRandom(seed), share, versions, done)));
        }
        Histogram latency = new Histogram(3);
        long lastDone = 0;
        long lastTime = begin;
        for (Future<Histogram> writer : running) {
            while (true) {
                try {
                    latency.add(writer.get(5, TimeUnit.SECONDS));
                    break;
                } catch (TimeoutException e) {
                    long now = System.nanoTime();
                    long count = done.get();
                    print(
                            "  %,d puts, %,.0f/s, %s%n",
                            count, (count - lastDone) * 1e9 / (now - lastTime), room(size.bytes()));
                    lastDone = count;
                    lastTime = now;
                }
            }
        }
        double seconds = seconds(begin);
        threads.shutdown();
        print(
                "puts: %,.0f/s over %.1f s, %.1f us of processor time a put, latency p50 %d us, p99 %d us, p99.9 "
                        + "%d us, max %d ms, %s, stolen %.1f %%%n",
                puts / seconds,
                seconds,
                (processCpuNanos() - cpuBegin) / 1000.0 / puts,
                latency.getValueAtPercentile(50) / 1000,
                latency.getValueAtPercentile(99) / 1000,
                latency.getValueAtPercentile(99.9) / 1000,
                latency.getMaxValue() / 1_000_000,
                room(size.bytes()),
                stolen.percent());
    }

    private Histogram put(Store store, SplittableRandom random, long share, AtomicLong versions, AtomicLong done) {
        Histogram latency = new Histogram(3);
        long left = share;
        while (left > 0) {
            List<Entry> entries = new ArrayList<>(batch);
            for (int i = 0; i < batch && left > 0; i++) {
                byte[] value = new byte[valueBytes];
                random.nextBytes(value);
                entries.add(Entry.value(
                        key(random.nextInt(keys)), new Version(versions.incrementAndGet()), value, Entry.NEVER));
                left--;
            }
            long begin = System.nanoTime();
            store.apply(entries);
            latency.recordValue(System.nanoTime() - begin);
            done.addAndGet(entries.size());
        }
        return latency;
    }

    /** Waits until the files have kept their size for longer than MVStore's retention time. */
    private void settle(DirectorySize size) {
        long begin = System.nanoTime();
        long last = size.bytes();
        int unchanged = 0;
        int lastChange = 0;
        int second = 0;
        while (second < settleSeconds && unchanged < 60) {
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
            second = (int) seconds(begin);
            long now = size.bytes();
            if (now == last) {
                unchanged++;
            } else {
                unchanged = 0;
                lastChange = second;
            }
            last = now;
            if (second % 10 == 0) {
                print("  after %d s: %s%n", second, room(now));
            }
        }
        print("settled: %s, last change after %d s, largest %s%n", room(last), lastChange, room(size.largest()));
    }

    private void measureReads(Store store) {
        SplittableRandom random = new SplittableRandom(4711);
        StolenTime stolen = new StolenTime();
        for (int phase = 1; phase <= 5; phase++) {
            stolen.reset();
            long cpuBegin = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            long begin = System.nanoTime();
            long end = begin + TimeUnit.SECONDS.toNanos(readSeconds);
            long reads = 0;
            long found = 0;
            while (System.nanoTime() < end) {
                for (int i = 0; i < 100; i++) {
                    found += store.get(key(random.nextInt(keys))).isPresent() ? 1 : 0;
                }
                reads += 100;
            }
            double cpuNanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpuBegin;
            print(
                    "reads, phase %d: %,.0f/s by one thread, %.2f us of processor time each, %.1f %% found,"
                            + " stolen %.1f %%%n",
                    phase, reads / seconds(begin), cpuNanos / 1000 / reads, 100.0 * found / reads, stolen.percent());
        }
    }

    private void measureScan(Store store) {
        long begin = System.nanoTime();
        long count = 0;
        try (EntryCursor cursor = store.scan(KeyRange.all())) {
            while (cursor.hasNext()) {
                cursor.next();
                count++;
            }
        }
        print("scan: %,d entries, %,.0f/s%n", count, count / seconds(begin));
    }

    /** Makes a key of ten bytes without order, like hashes or user names. */
    private static Key key(int number) {
        long scattered = Integer.reverse(number) & 0xffffffffL;
        byte[] digits = new byte[10];
        for (int i = digits.length - 1; i >= 0; i--) {
            digits[i] = (byte) ('0' + scattered % 10);
            scattered /= 10;
        }
        return Key.copyOfRange(digits, 0, digits.length);
    }

    private String room(long bytes) {
        double live = (double) Math.min(keys, puts) * (valueBytes + OVERHEAD_BYTES);
        return String.format(Locale.ROOT, "%,d MB (%.2f of the live data)", bytes / 1_000_000, bytes / live);
    }

    /** Returns the processor time of all threads, which varies less than a rate on a shared machine. */
    private static long processCpuNanos() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? system.getProcessCpuTime()
                : 0;
    }

    private static double seconds(long begin) {
        return (System.nanoTime() - begin) / 1e9;
    }

    private static void print(String format, Object... arguments) {
        System.out.printf(Locale.ROOT, format, arguments);
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }
}
