package io.dht4j.datasketches;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.HotKeys;
import io.dht4j.Key;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrequentItemsSketchTest {

    private static final int KEYS = 100_000;
    private static final int OCCURRENCES = 300_000;
    /** What the library promises for its size: 3.5 divided by the slots. */
    private static final double ERROR = 3.5 / 512;

    private final FrequentItemsSketch sketch = new FrequentItemsSketch();
    private final Map<Key, Long> exact = new HashMap<>();
    private long total;

    /** A skewed load, in which the first key has some percent of all. */
    private void load(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < OCCURRENCES; i++) {
            Key key = Key.of("key-" + (int) (Math.pow(random.nextDouble(), 6) * KEYS));
            long weight = 1 + random.nextInt(3);
            sketch.add(key, weight);
            exact.merge(key, weight, Long::sum);
            total += weight;
        }
    }

    private long count(HotKeys.Count count) {
        return exact.getOrDefault(count.key(), 0L);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void boundsContainTheExactCountsAndAreWithinTheError(long seed) {
        load(seed);
        assertThat(sketch.heaviest(100)).hasSize(100).allSatisfy(each -> {
            assertThat(count(each)).isBetween(each.atLeast(), each.atMost());
            assertThat(each.atMost() - each.atLeast()).isLessThanOrEqualTo((long) (ERROR * total));
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void theHeaviestKeysAreFoundInTheirOrder(long seed) {
        load(seed);
        List<Key> heaviest = exact.entrySet().stream()
                .sorted(Map.Entry.<Key, Long>comparingByValue().reversed())
                .map(Map.Entry::getKey)
                .limit(5)
                .toList();
        assertThat(sketch.heaviest(5)).extracting(HotKeys.Count::key).containsExactlyElementsOf(heaviest);
    }

    @ParameterizedTest
    @ValueSource(ints = {100_000, 1_000_000})
    void memoryIsBoundedWhateverTheNumberOfKeys(int keys) {
        for (int i = 0; i < keys; i++) {
            sketch.add(Key.of("key-" + i), 1);
        }
        assertThat(sketch.heaviest(Integer.MAX_VALUE)).hasSizeLessThanOrEqualTo(384);
    }
}
