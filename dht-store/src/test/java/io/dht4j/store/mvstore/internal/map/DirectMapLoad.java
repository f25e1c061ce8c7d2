package io.dht4j.store.mvstore.internal.map;

import io.dht4j.Key;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;

/**
 * The rejected design, to be measured: every put goes into an MVMap at once, and MVStore commits when its buffer is
 * full. It promises nothing about what survives. Arguments: puts, keys, buffer in KiB, threads.
 */
final class DirectMapLoad {

    private DirectMapLoad() {}

    public static void main(String[] arguments) throws Exception {
        long puts = Long.parseLong(arguments[0]);
        int keys = Integer.parseInt(arguments[1]);
        int bufferKib = Integer.parseInt(arguments[2]);
        int threads = Integer.parseInt(arguments[3]);
        Path file = Files.createTempFile("dht4j-direct-map", ".mv");
        MVStore store = new MVStore.Builder()
                .fileName(file.toString())
                .cacheSize(512)
                .autoCommitBufferSize(bufferKib)
                .open();
        MVMap<Key, MapValue> map = store.openMap(
                "entries",
                new MVMap.Builder<Key, MapValue>().keyType(new PageTypes.Keys()).valueType(new PageTypes.Values()));
        long begin = System.nanoTime();
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<?>> running = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            SplittableRandom random = new SplittableRandom(thread);
            running.add(pool.submit(() -> {
                for (long i = 0; i < puts / threads; i++) {
                    byte[] value = new byte[100];
                    random.nextBytes(value);
                    Key key = Key.of(String.format(Locale.ROOT, "%010d", random.nextInt(keys)));
                    map.put(key, new MapValue(i, false, 0, value));
                }
            }));
        }
        for (Future<?> thread : running) {
            thread.get();
        }
        store.commit();
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.printf(
                Locale.ROOT,
                "buffer %d KiB, %d threads: %,.0f puts/s, file %,d MB after %,d puts over %,d keys%n",
                bufferKib,
                threads,
                puts / seconds,
                Files.size(file) / 1_000_000,
                puts,
                map.sizeAsLong());
        pool.shutdown();
        store.closeImmediately();
        Files.delete(file);
    }
}
