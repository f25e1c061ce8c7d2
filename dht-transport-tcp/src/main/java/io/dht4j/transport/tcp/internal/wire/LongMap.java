package io.dht4j.transport.tcp.internal.wire;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A map from numbers of calls, without an object for each entry. The place of a key is random, so that no peer can
 * choose numbers that collide. It shrinks to its least size when it becomes empty. For one thread.
 */
public final class LongMap<V> {

    private static final int LEAST_SIZE = 16;

    private final long multiplier = ThreadLocalRandom.current().nextLong() | 1;
    private long[] keys = new long[LEAST_SIZE];
    private @Nullable Object[] values = new Object[LEAST_SIZE];
    private int size;

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public @Nullable V get(long key) {
        return value(find(key));
    }

    /** Adds a key that the map does not have. */
    public void put(long key, V value) {
        if (2 * (size + 1) > keys.length) {
            resize(2 * keys.length);
        }
        int at = find(key);
        keys[at] = key;
        values[at] = value;
        size++;
    }

    /** Removes a key. Returns its value, or null if the map does not have it. */
    public @Nullable V remove(long key) {
        int at = find(key);
        V removed = value(at);
        if (removed == null) {
            return null;
        }
        size--;
        close(at);
        if (size == 0 && keys.length > LEAST_SIZE) {
            resize(LEAST_SIZE);
        }
        return removed;
    }

    /** Fills a gap with a later key that would not be found behind it, and then that key's gap. */
    private void close(int gap) {
        int mask = keys.length - 1;
        int hole = gap;
        for (int at = (hole + 1) & mask; values[at] != null; at = (at + 1) & mask) {
            int home = home(keys[at]);
            if (((at - home) & mask) >= ((at - hole) & mask)) {
                keys[hole] = keys[at];
                values[hole] = values[at];
                hole = at;
            }
        }
        values[hole] = null;
    }

    /** Passes on each value; the consumer must leave the map as it is. */
    public void forEach(Consumer<? super V> consumer) {
        for (int i = 0; i < values.length; i++) {
            V value = value(i);
            if (value != null) {
                consumer.accept(value);
            }
        }
    }

    /** Removes all entries. Needs no memory. */
    public void clear() {
        Arrays.fill(values, null);
        size = 0;
    }

    private void resize(int newSize) {
        long[] oldKeys = keys;
        @Nullable Object[] oldValues = values;
        long[] newKeys = new long[newSize];
        // Both are allocated before either is in use: the map survives a lack of memory.
        values = new Object[newSize];
        keys = newKeys;
        for (int i = 0; i < oldValues.length; i++) {
            if (oldValues[i] != null) {
                int at = find(oldKeys[i]);
                keys[at] = oldKeys[i];
                values[at] = oldValues[i];
            }
        }
    }

    /** Returns where a key is, or where it would go. */
    private int find(long key) {
        int mask = keys.length - 1;
        int at = home(key);
        while (values[at] != null && keys[at] != key) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private int home(long key) {
        return (int) ((key * multiplier) >>> 33) & (keys.length - 1);
    }

    @SuppressWarnings("unchecked") // only put adds values
    private @Nullable V value(int at) {
        return (V) values[at];
    }
}
