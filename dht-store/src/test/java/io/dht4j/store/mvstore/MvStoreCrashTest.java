package io.dht4j.store.mvstore;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.Entry;
import io.dht4j.testkit.SearchEffort;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A real process that writes is killed again and again. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@Tag("search")
class MvStoreCrashTest {

    private static final int ROUNDS = SearchEffort.of(5);

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(Durability.class)
    void everyAcknowledgedWriteSurvivesKill9(Durability durability) throws Exception {
        SplittableRandom random = new SplittableRandom(durability.ordinal());
        long first = 1;
        for (int round = 0; round < ROUNDS; round++) {
            Map<Integer, Long> acknowledged = new HashMap<>();
            int lines = durability == Durability.OS ? 5_000 + random.nextInt(20_000) : 200 + random.nextInt(1_000);
            try (ChildJvm child =
                    ChildJvm.start(WritingProcess.class, directory.toString(), durability.name(), "" + first)) {
                for (int i = 0; i < lines; i++) {
                    String line = child.readLine();
                    assertThat(line).as("the process must not end by itself").isNotNull();
                    note(line, acknowledged);
                }
                child.kill();
                // What was printed before the kill was acknowledged as well; the last line may be cut off.
                String previous = child.readLine();
                while (previous != null) {
                    String next = child.readLine();
                    if (next != null) {
                        note(previous, acknowledged);
                    }
                    previous = next;
                }
            }
            try (MvStore store = MvStore.open(directory, MvStoreOptions.defaults())) {
                long begin = first;
                acknowledged.forEach((thread, last) -> {
                    for (long number = Math.max(begin, last - WritingProcess.KEYS + 1); number <= last; number++) {
                        Entry entry =
                                store.get(WritingProcess.key(thread, number)).orElseThrow();
                        long found = entry.version().packed();
                        assertThat(found).isGreaterThanOrEqualTo(number);
                        assertThat(entry.value()).isEqualTo(WritingProcess.value(thread, found));
                    }
                });
            }
            first = 1
                    + acknowledged.values().stream()
                            .mapToLong(Long::longValue)
                            .max()
                            .orElseThrow();
        }
    }

    private static void note(String line, Map<Integer, Long> acknowledged) {
        String[] parts = line.split(" ");
        acknowledged.merge(Integer.valueOf(parts[0]), Long.valueOf(parts[1]), Math::max);
    }
}
