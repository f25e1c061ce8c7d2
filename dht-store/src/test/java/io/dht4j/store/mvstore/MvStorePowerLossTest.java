package io.dht4j.store.mvstore;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.StoreException;
import io.dht4j.store.power.ForgetfulDisk;
import io.dht4j.testkit.SearchEffort;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The power of the machine fails at any moment, and its disk keeps what was forced and any part of the rest. */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
@Tag("search")
class MvStorePowerLossTest {

    /** With fewer seeds no acknowledged write may be lost. */
    private static final int SEEDS_WITHOUT_FSYNC = 60;

    private static final int SEEDS = Integer.getInteger("dht.power.seeds", SearchEffort.of(60));
    private static final long FIRST_SEED = Long.getLong("dht.power.seed", 1);
    private static final int LIVES = 6;
    private static final int KEYS = 200;

    @TempDir
    Path root;

    @Test
    void fsyncKeepsExactlyTheAcknowledgedWrites() throws Exception {
        int lost = 0;
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            try {
                lost += new History(root, seed, Durability.FSYNC).live();
            } catch (AssertionError | StoreException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
        assertThat(lost).as("lives that power failures ended").isGreaterThan(SEEDS);
    }

    /** So the disk does forget, and what is seen here would be seen there. */
    @Test
    void withoutFsyncSomethingIsLost() throws Exception {
        List<String> losses = new ArrayList<>();
        for (long seed = FIRST_SEED; seed < FIRST_SEED + Math.max(SEEDS, SEEDS_WITHOUT_FSYNC); seed++) {
            try {
                new History(root, seed, Durability.OS).live();
            } catch (StoreException e) {
                assertThat(e).hasMessageContaining("Rebuild.begin");
            } catch (AssertionError e) {
                losses.add(e.getMessage());
            }
        }
        assertThat(losses).isNotEmpty().allSatisfy(loss -> assertThat(loss).containsAnyOf("acknowledged", "purged"));
    }

    /** A store that is opened again after each loss of power, and what it has acknowledged. */
    private static final class History {
        private final Path root;
        private final long seed;
        private final SplittableRandom random;
        private final Durability durability;

        /** The newest entry of each key that must be there, unless a newer one is. */
        private final Map<Key, Entry> acknowledged = new TreeMap<>();

        /** What must not be there, unless it is newer: it was deleted, and the tombstone was purged. */
        private final Map<Key, Version> purged = new HashMap<>();

        private final Map<Key, Set<Entry>> written = new HashMap<>();
        private boolean purging;
        private long next = 1;

        History(Path root, long seed, Durability durability) {
            this.root = root;
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.durability = durability;
        }

        /** How often the power failed. */
        int live() throws IOException {
            int failures = 0;
            for (int life = 0; life < LIVES; life++) {
                Path directory = root.resolve(durability + "-" + seed + "-" + life);
                ForgetfulDisk disk = new ForgetfulDisk(directory, random.nextLong());
                switch (random.nextInt(4)) {
                    case 0 -> disk.failPowerAfter(random.nextInt(life == 0 ? 15 : 40), path -> true);
                    case 1 -> disk.failPowerAfter(random.nextInt(1500), path -> true);
                    // What is written between two merges is much more often something else.
                    default -> disk.failPowerAfter(random.nextInt(60), FailingDisk::isMap);
                }
                live(directory, disk);
                if (disk.isOff()) {
                    failures++;
                }
                // After an orderly close too.
                disk.leaveIn(root.resolve(durability + "-" + seed + "-" + (life + 1)));
            }
            Path last = root.resolve(durability + "-" + seed + "-" + LIVES);
            try (MvStore store = MvStore.open(last, options())) {
                check(store);
            }
            return failures;
        }

        private MvStoreOptions options() {
            return MvStoreFaults.small(durability);
        }

        private void live(Path directory, ForgetfulDisk disk) {
            @Nullable MvStore store = null;
            try {
                store = MvStore.open(directory, options(), disk);
                check(store);
                write(store);
                store.close();
            } catch (StoreException e) {
                if (!disk.isOff()) {
                    throw e;
                }
                if (store != null) {
                    assertThatThrownByOrNot(store);
                }
            }
        }

        /** A store without power only has to release its files. */
        private static void assertThatThrownByOrNot(MvStore store) {
            try {
                store.close();
            } catch (StoreException e) {
                assertThat(e).hasStackTraceContaining("the power is off");
            }
        }

        private void write(MvStore store) {
            int steps = random.nextInt(700);
            for (int i = 0; i < steps; i++) {
                switch (random.nextInt(100)) {
                    case 0 -> store.settle();
                    case 1 -> purge(store);
                    default -> apply(store, entries());
                }
            }
        }

        private List<Entry> entries() {
            List<Entry> entries = new ArrayList<>();
            int count = random.nextInt(5) == 0 ? 1 + random.nextInt(60) : 1;
            for (int i = 0; i < count; i++) {
                long number = next++;
                Key key = Key.of("key-" + random.nextInt(KEYS));
                Entry entry = random.nextInt(4) == 0
                        ? Entry.tombstone(key, new Version(number))
                        : Entry.value(key, new Version(number), value(number), Entry.NEVER);
                entries.add(entry);
                written.computeIfAbsent(key, any -> new HashSet<>()).add(entry);
            }
            return entries;
        }

        private byte[] value(long number) {
            // Some of zeros, which look like blocks that were not written.
            byte[] value = new byte[random.nextInt(20) == 0 ? random.nextInt(20_000) : random.nextInt(400)];
            if (random.nextInt(3) > 0) {
                random.nextBytes(value);
            }
            byte[] name = ("value " + number).getBytes(StandardCharsets.UTF_8);
            System.arraycopy(name, 0, value, 0, Math.min(name.length, value.length));
            return value;
        }

        private void apply(MvStore store, List<Entry> entries) {
            store.apply(entries);
            entries.forEach(entry -> acknowledged.put(entry.key(), entry));
        }

        private void purge(MvStore store) {
            purging = true;
            store.purge(Entry::isTombstone);
            purging = false;
            forgetTombstones();
        }

        private void forgetTombstones() {
            acknowledged.values().removeIf(entry -> {
                if (entry.isTombstone()) {
                    purged.put(entry.key(), entry.version());
                }
                return entry.isTombstone();
            });
        }

        /** What it shows now it must show from now on. */
        private void check(MvStore store) {
            Map<Key, Entry> shown = new TreeMap<>();
            try (EntryCursor cursor = store.scan(KeyRange.all())) {
                cursor.forEachRemaining(entry -> shown.put(entry.key(), entry));
            }
            shown.forEach((key, entry) -> {
                assertThat(written.getOrDefault(key, Set.of()))
                        .as("%s: written at some time", key)
                        .contains(entry);
                assertThat(entry.version())
                        .as("%s: what was purged", key)
                        .isGreaterThan(purged.getOrDefault(key, new Version(0)));
                assertThat(store.get(key)).contains(entry);
            });
            acknowledged.forEach((key, entry) -> {
                Entry found = shown.get(key);
                if (found != null) {
                    assertThat(found.version()).as("%s: acknowledged", key).isGreaterThanOrEqualTo(entry.version());
                } else {
                    // The newest tombstone that was purged before the power failed is perhaps not the newest one that
                    // was acknowledged.
                    assertThat(purging && entry.isTombstone())
                            .as("%s: acknowledged %s", key, entry.version())
                            .isTrue();
                    purged.merge(key, entry.version(), (a, b) -> a.compareTo(b) > 0 ? a : b);
                }
            });
            purging = false;
            acknowledged.clear();
            acknowledged.putAll(shown);
        }
    }
}
