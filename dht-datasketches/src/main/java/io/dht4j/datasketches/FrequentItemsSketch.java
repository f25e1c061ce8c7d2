package io.dht4j.datasketches;

import io.dht4j.HotKeys;
import io.dht4j.Key;
import io.dht4j.spi.FrequencySketch;
import java.util.Arrays;
import java.util.List;
import org.apache.datasketches.frequencies.ErrorType;
import org.apache.datasketches.frequencies.ItemsSketch;

/**
 * The frequent items sketch of Apache DataSketches, a variant of the algorithm of Misra and Gries. It keeps 384 keys at
 * most. The bounds of a key are apart by less than 0.7 % of the sum of all weights, and mostly by far less. Confined to
 * one thread at a time.
 *
 * <pre>{@code
 * ClusterBuilder.of("n1", topology).hotKeys(FrequentItemsSketch::new)
 * }</pre>
 */
public final class FrequentItemsSketch implements FrequencySketch {

    /** The slots of its hash table, a power of two; three quarters of them are used. */
    private static final int SLOTS = 512;

    private final ItemsSketch<Key> items = new ItemsSketch<>(SLOTS);

    /** Creates an empty sketch. */
    public FrequentItemsSketch() {}

    @Override
    public void add(Key key, long weight) {
        items.update(key, weight);
    }

    @Override
    public List<HotKeys.Count> heaviest(int count) {
        // A threshold of zero: the bounds say themselves how much is known of a key.
        return Arrays.stream(items.getFrequentItems(0, ErrorType.NO_FALSE_NEGATIVES))
                .limit(count)
                .map(row -> new HotKeys.Count(row.getItem(), row.getLowerBound(), row.getUpperBound()))
                .toList();
    }
}
