package io.dht4j.store.mvstore.internal.cache;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Store.Held;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The newest entry of a key, or its absence, in a form that a newer value of the same length overwrites in place. As an
 * object, each write of a cached key would leave some seven objects, all of which the garbage collector copies on their
 * way through its young generation.
 *
 * <p>Any number of threads read without a lock: a sequence lock (J. Corbet, <em>Driver porting: mutual exclusion with
 * seqlocks</em>, 2003). {@link #replaceBy} is for one thread at a time.
 */
final class CachedEntry {

    /** Longer values are kept as they are: copying one for each reader costs more than it saves. */
    static final int LARGE_BYTES = 1 << 12;

    /** In place of the length of a value. */
    private static final int TOMBSTONE = -1;

    private static final int ABSENT = -2;

    /** How often a read is repeated while the entry is overwritten: the writer may have lost its processor. */
    private static final int MAX_ATTEMPTS = 16;

    private static final byte[] NO_BYTES = {};

    private static final VarHandle SEQUENCE;

    static {
        try {
            SEQUENCE = MethodHandles.lookup().findVarHandle(CachedEntry.class, "sequence", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final @Nullable Entry large;
    private final int length;
    /** Overwritten in place, as version and expiry are; its length stays. */
    private final byte[] value;

    private long version;
    private long expiresAtMillis;

    /** Odd while the other fields are written. Accessed by the handle only. */
    @SuppressWarnings("UnusedVariable")
    private int sequence;

    CachedEntry(Optional<Entry> held) {
        Entry entry = held.orElse(null);
        boolean isLarge = entry != null && entry.value().length > LARGE_BYTES;
        large = isLarge ? entry : null;
        if (entry == null) {
            length = ABSENT;
            value = NO_BYTES;
            return;
        }
        length = entry.isTombstone() ? TOMBSTONE : entry.value().length;
        value = isLarge ? NO_BYTES : entry.value().clone();
        version = entry.version().packed();
        expiresAtMillis = entry.expiresAtMillis();
    }

    /** Returns the length of the value in bytes. */
    int valueBytes() {
        return Math.max(0, length);
    }

    /**
     * Returns the entry, or its absence.
     *
     * @param key the key
     * @return null if it was overwritten all the time
     */
    @Nullable
    Held held(Key key) {
        if (large != null) {
            return new Held(Optional.of(large));
        }
        if (length == ABSENT) {
            return new Held(Optional.empty());
        }
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            int before = (int) SEQUENCE.getAcquire(this);
            if ((before & 1) == 0) {
                Entry then = copy(key);
                // The copy must be read before the second read of the sequence.
                VarHandle.acquireFence();
                if ((int) SEQUENCE.getOpaque(this) == before) {
                    return new Held(Optional.of(then));
                }
            }
            Thread.onSpinWait();
        }
        return null;
    }

    private Entry copy(Key key) {
        Version of = new Version(version);
        return length == TOMBSTONE ? Entry.tombstone(key, of) : Entry.value(key, of, value.clone(), expiresAtMillis);
    }

    /** Returns whether an entry supersedes this one. For the thread that may replace it. */
    boolean isOlderThan(Entry entry) {
        if (length == ABSENT) {
            return true;
        }
        int byVersion = Long.compareUnsigned(entry.version().packed(), version);
        if (byVersion != 0) {
            return byVersion > 0;
        }
        return entry.supersedes(large != null ? large : copy(entry.key()));
    }

    /**
     * Overwrites this entry by another one of the key.
     *
     * @return false if its value has another length
     */
    boolean replaceBy(Entry entry) {
        if (large != null || length < 0 || entry.isTombstone() || entry.value().length != length) {
            return false;
        }
        long packed = entry.version().packed();
        long expiry = entry.expiresAtMillis();
        byte[] bytes = entry.value();
        int odd = (int) SEQUENCE.getOpaque(this) | 1;
        SEQUENCE.setOpaque(this, odd);
        // The writes below must come after the sequence is odd.
        VarHandle.releaseFence();
        version = packed;
        expiresAtMillis = expiry;
        System.arraycopy(bytes, 0, value, 0, length);
        SEQUENCE.setRelease(this, odd + 1);
        return true;
    }
}
