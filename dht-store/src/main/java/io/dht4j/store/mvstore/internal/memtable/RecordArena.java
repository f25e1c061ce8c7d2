package io.dht4j.store.mvstore.internal.memtable;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Entries as bytes in a few large arrays. As objects, each entry would be about five, and the garbage collector would
 * copy all of them twice on their way through its young generation: most of its pauses under a load of writes. Large
 * entries are kept as objects.
 *
 * <p>{@link #add} is for one thread at a time. Its result may be read by any thread after safe publication.
 */
final class RecordArena {

    /** Small enough for the collector to treat it as any object, large enough to be copied in one go. */
    private static final int SLAB_BYTES = 1 << 17;

    /** From this length on, an entry's arrays are worth keeping. */
    static final int LARGE_BYTES = 1 << 12;

    private static final int ALIGNMENT_SHIFT = 3;
    private static final int ALIGNMENT = 1 << ALIGNMENT_SHIFT;
    private static final int REFERENCES_PER_SLAB = SLAB_BYTES >> ALIGNMENT_SHIFT;

    private static final int EXPIRY_AT = 8;
    private static final int VALUE_LENGTH_AT = 16;
    private static final int KEY_LENGTH_AT = 20;
    private static final int KEY_AT = 24;
    /** In place of the length of a value. */
    private static final int TOMBSTONE = -1;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());

    /** Grows by being replaced. */
    private volatile byte[][] slabs = {};

    private volatile Entry[] large = {};
    private int slabCount;
    private int largeCount;
    /** The place of the next entry in the last slab. */
    private int end = SLAB_BYTES;

    /**
     * Keeps an entry.
     *
     * @return the reference to the entry for the other methods
     */
    int add(Entry entry) {
        byte[] key = entry.key().unsafeBytes();
        byte[] value = entry.value();
        if (value.length > LARGE_BYTES) {
            return addLarge(entry);
        }
        int bytes = KEY_AT + key.length + value.length;
        if (bytes > SLAB_BYTES - end) {
            addSlab();
        }
        byte[] slab = slabs[slabCount - 1];
        LONG.set(slab, end, entry.version().packed());
        LONG.set(slab, end + EXPIRY_AT, entry.expiresAtMillis());
        INT.set(slab, end + VALUE_LENGTH_AT, entry.isTombstone() ? TOMBSTONE : value.length);
        INT.set(slab, end + KEY_LENGTH_AT, key.length);
        System.arraycopy(key, 0, slab, end + KEY_AT, key.length);
        System.arraycopy(value, 0, slab, end + KEY_AT + key.length, value.length);
        int reference = (slabCount - 1) * REFERENCES_PER_SLAB + (end >> ALIGNMENT_SHIFT);
        end = Math.min(SLAB_BYTES, (end + bytes + ALIGNMENT - 1) & -ALIGNMENT);
        return reference;
    }

    private int addLarge(Entry entry) {
        Entry[] entries = large;
        if (largeCount == entries.length) {
            entries = Arrays.copyOf(entries, Math.max(8, 2 * largeCount));
        }
        entries[largeCount] = entry;
        large = entries;
        // The complement distinguishes it from a place in a slab.
        return ~largeCount++;
    }

    private void addSlab() {
        byte[][] more = slabs;
        if (slabCount == more.length) {
            more = Arrays.copyOf(more, Math.max(4, 2 * slabCount));
        }
        more[slabCount] = new byte[SLAB_BYTES];
        slabs = more;
        slabCount++;
        end = 0;
    }

    /** Compares a key with that of an entry. */
    int compareKey(Key key, int reference) {
        if (reference < 0) {
            return key.compareTo(large[~reference].key());
        }
        byte[] slab = slab(reference);
        int at = offset(reference);
        byte[] bytes = key.unsafeBytes();
        int from = at + KEY_AT;
        return Arrays.compareUnsigned(
                bytes, 0, bytes.length, slab, from, from + (int) INT.get(slab, at + KEY_LENGTH_AT));
    }

    /** The entry. */
    Entry entry(int reference) {
        if (reference < 0) {
            return large[~reference];
        }
        byte[] slab = slab(reference);
        int from = offset(reference) + KEY_AT;
        int keyLength = (int) INT.get(slab, from - KEY_AT + KEY_LENGTH_AT);
        return entry(reference, Key.copyOfRange(slab, from, from + keyLength));
    }

    /**
     * The entry.
     *
     * @param key its key
     */
    Entry entry(int reference, Key key) {
        if (reference < 0) {
            return large[~reference];
        }
        byte[] slab = slab(reference);
        int at = offset(reference);
        Version version = new Version((long) LONG.get(slab, at));
        int valueLength = (int) INT.get(slab, at + VALUE_LENGTH_AT);
        if (valueLength == TOMBSTONE) {
            return Entry.tombstone(key, version);
        }
        int from = at + KEY_AT + key.length();
        return Entry.value(key, version, Arrays.copyOfRange(slab, from, from + valueLength), (long)
                LONG.get(slab, at + EXPIRY_AT));
    }

    private byte[] slab(int reference) {
        return slabs[reference / REFERENCES_PER_SLAB];
    }

    private static int offset(int reference) {
        return reference % REFERENCES_PER_SLAB << ALIGNMENT_SHIFT;
    }
}
