package io.dht4j.store.mvstore.internal.map;

import io.dht4j.Key;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.RootReference;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of large values, in fragments that fit into a commit of usual size. As one page, a value would need buffers
 * of several times its size when it is written, and again whenever its page is split.
 *
 * <p>The fragments of a value are put before its entry, and are removed in one commit with the entry. A reader of the
 * entry that reads the fragments next finds them all, unless the entry was superseded in between. Any number of threads
 * read; only the merging thread changes.
 */
final class LargeValues {

    /** The size of a fragment; longer values are fragmented. */
    static final int FRAGMENT_BYTES = 256 << 10;

    /** The name of the map in the file, which the format of the file fixes. */
    private static final String MAP = "pieces";

    /** Sorts before the first fragment. */
    private static final int NO_INDEX = -1;

    private final MVMap<FragmentKey, byte[]> fragments;

    /**
     * The key of a fragment: values of one key differ in version or digest.
     *
     * @param key the entry's
     * @param version the entry's
     * @param digest the entry's
     * @param index of the fragment, from 0
     */
    record FragmentKey(Key key, long version, int digest, int index) implements Comparable<FragmentKey> {

        @Override
        public int compareTo(FragmentKey other) {
            int order = key.compareTo(other.key);
            order = order != 0 ? order : Long.compareUnsigned(version, other.version);
            order = order != 0 ? order : Integer.compareUnsigned(digest, other.digest);
            return order != 0 ? order : Integer.compare(index, other.index);
        }

        boolean isOf(Key other, MapValue stored) {
            return version == stored.version() && digest == stored.digest() && key.equals(other);
        }
    }

    LargeValues(MVStore store) {
        this.fragments = store.openMap(
                MAP,
                new MVMap.Builder<FragmentKey, byte[]>()
                        .keyType(new PageTypes.FragmentKeys())
                        .valueType(new PageTypes.FragmentBytes()));
    }

    /** Puts the fragments of an entry's value, which may exist already. */
    void put(Entry entry, Runnable afterEach) {
        byte[] value = entry.value();
        for (int from = 0, index = 0; from < value.length; from += FRAGMENT_BYTES, index++) {
            fragments.put(
                    new FragmentKey(entry.key(), entry.version().packed(), entry.digest(), index),
                    Arrays.copyOfRange(value, from, Math.min(value.length, from + FRAGMENT_BYTES)));
            afterEach.run();
        }
    }

    /** Removes the values of a key, but for one. */
    void removeOthers(Key key, @Nullable MapValue kept) {
        List<FragmentKey> others = new ArrayList<>();
        Cursor<FragmentKey, byte[]> cursor = fragments.cursor(new FragmentKey(key, 0, 0, NO_INDEX));
        while (cursor.hasNext()) {
            FragmentKey fragment = cursor.next();
            if (!fragment.key().equals(key)) {
                break;
            }
            if (kept == null || !fragment.isOf(key, kept)) {
                others.add(fragment);
            }
        }
        others.forEach(fragments::remove);
    }

    /** Returns the fragments of this moment. */
    RootReference<FragmentKey, byte[]> root() {
        return fragments.flushAndGetRoot();
    }

    /** Returns the entry of a key; null if fragments are missing, because the entry was superseded. */
    static @Nullable Entry entry(RootReference<FragmentKey, byte[]> root, Key key, MapValue stored) {
        byte[] value = new byte[stored.length()];
        int length = 0;
        Cursor<FragmentKey, byte[]> cursor =
                new Cursor<>(root, new FragmentKey(key, stored.version(), stored.digest(), 0), null);
        while (length < value.length && cursor.hasNext()) {
            if (!cursor.next().isOf(key, stored)) {
                break;
            }
            byte[] fragment = cursor.getValue();
            if (fragment.length > value.length - length) {
                break;
            }
            System.arraycopy(fragment, 0, value, length, fragment.length);
            length += fragment.length;
        }
        return length == value.length ? stored.toEntry(key, value) : null;
    }
}
