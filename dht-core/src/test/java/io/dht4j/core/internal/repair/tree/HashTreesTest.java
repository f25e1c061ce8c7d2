package io.dht4j.core.internal.repair.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class HashTreesTest {

    private static final int PARTITIONS = 8;
    /** More than there are places for changes, so that some share one. */
    private static final int THREADS = 40;

    private static final int KEYS_EACH = 50;
    private static final int CHANGES_EACH = 5_000;

    private static HashTrees trees() {
        return new HashTrees(PARTITIONS, key -> Math.floorMod(key.hashCode(), PARTITIONS));
    }

    private static List<Long> sums(HashTrees trees) {
        trees.settle();
        return IntStream.range(0, PARTITIONS)
                .mapToObj(trees::buckets)
                .flatMapToLong(LongStream::of)
                .boxed()
                .toList();
    }

    private static Entry entry(String key, int version) {
        return Entry.value(Key.of(key), Version.of(version + 1L, 0), new byte[] {(byte) version}, Entry.NEVER);
    }

    /** What a thread tells of keys of its own; what is there at the end. */
    private static List<Entry> change(HashTrees trees, int thread) {
        SplittableRandom random = new SplittableRandom(thread);
        Entry[] held = new Entry[KEYS_EACH];
        for (int i = 0; i < CHANGES_EACH; i++) {
            int at = random.nextInt(KEYS_EACH);
            Entry next = entry("k" + thread + "-" + at, i);
            if (held[at] == null) {
                trees.added(next);
                held[at] = next;
            } else if (random.nextInt(3) == 0) {
                trees.removed(held[at]);
                held[at] = null;
            } else if (random.nextBoolean()) {
                assertThat(trees.replaced(held[at].version(), held[at].digest(), next))
                        .isTrue();
                held[at] = next;
            } else {
                trees.replaced(held[at], next);
                held[at] = next;
            }
        }
        List<Entry> left = new ArrayList<>();
        for (Entry each : held) {
            if (each != null) {
                left.add(each);
            }
        }
        return left;
    }

    @Test
    void concurrentChangesLeaveTheSumsOfTheEntries() throws Exception {
        HashTrees trees = trees();
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS + 1);
        try {
            List<Future<List<Entry>>> changing = IntStream.range(0, THREADS)
                    .mapToObj(thread -> threads.submit(() -> change(trees, thread)))
                    .toList();
            Future<?> reading = threads.submit(() -> {
                while (!over.get()) {
                    sums(trees);
                }
            });
            HashTrees expected = trees();
            for (Future<List<Entry>> each : changing) {
                each.get(1, TimeUnit.MINUTES).forEach(expected::added);
            }
            over.set(true);
            reading.get(1, TimeUnit.MINUTES);

            assertThat(sums(trees)).isEqualTo(sums(expected)).anyMatch(sum -> sum != 0);
        } finally {
            over.set(true);
            threads.shutdownNow();
        }
    }

    @Test
    void replacementEqualsARemovalAndAnAddition() {
        HashTrees one = trees();
        one.added(entry("k", 1));
        one.replaced(entry("k", 1), entry("k", 2));
        HashTrees other = trees();
        other.added(entry("k", 1));
        other.removed(entry("k", 1));
        other.added(entry("k", 2));

        assertThat(sums(one)).isEqualTo(sums(other));
        one.removed(entry("k", 2));
        assertThat(sums(one)).containsOnly(0L);
    }

    @Test
    void thePartitionsSumIsThatOfItsBuckets() {
        HashTrees trees = trees();
        for (int i = 0; i < 100; i++) {
            trees.added(entry("k" + i, i));
        }
        trees.settle();

        for (int partition = 0; partition < PARTITIONS; partition++) {
            assertThat(trees.partition(partition))
                    .isEqualTo(LongStream.of(trees.buckets(partition)).reduce(0, (a, b) -> a ^ b))
                    .isNotZero();
        }
    }
}
