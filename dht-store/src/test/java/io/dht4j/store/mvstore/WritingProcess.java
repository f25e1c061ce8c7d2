package io.dht4j.store.mvstore;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Writes to a store for ever and prints what has been acknowledged: thread and number. */
final class WritingProcess {

    private static final int THREADS = 4;
    /** How many keys each thread writes in turn. */
    static final int KEYS = 500;

    private WritingProcess() {}

    static Key key(int thread, long number) {
        return Key.of("thread-" + thread + "-" + number % KEYS);
    }

    static byte[] value(int thread, long number) {
        return (thread + ":" + number + ":" + "x".repeat((int) (number % 300))).getBytes(StandardCharsets.US_ASCII);
    }

    public static void main(String[] arguments) {
        MvStore store = MvStore.open(
                Path.of(arguments[0]),
                MvStoreOptions.defaults()
                        .withDurability(Durability.valueOf(arguments[1]))
                        .withMemtableBytes(128 << 10));
        long first = Long.parseLong(arguments[2]);
        PrintStream out = System.out;
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            new Thread(() -> {
                        for (long number = first; ; number++) {
                            store.apply(List.of(Entry.value(
                                    key(thread, number), new Version(number), value(thread, number), Entry.NEVER)));
                            out.println(thread + " " + number);
                        }
                    })
                    .start();
        }
    }
}
