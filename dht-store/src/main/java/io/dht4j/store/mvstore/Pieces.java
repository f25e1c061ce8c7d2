package io.dht4j.store.mvstore;

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
 * The bytes of large values, in pieces that fit into a commit of usual size. As one page, a value would take several
 * times its size in buffers when it is written, and its neighbour with it whenever the page of both is split.
 *
 * <p>The pieces of a value are there before its entry says so, and are removed in one commit with what supersedes it:
 * who looks at the entries first and at the pieces then finds all, unless the entry was superseded in between. Read by
 * any number of threads; changed by the merging thread only.
 */
final class Pieces {

    /** Longer values are kept in pieces of this size. */
    static final int BYTES = 256 << 10;

    private static final int NO_INDEX = -1;

    private final MVMap<PieceKey, byte[]> pieces;

    /**
     * What finds a piece: values of one key differ in version or digest.
     *
     * @param key the entry's
     * @param version the entry's
     * @param digest the entry's
     * @param index which piece it is, 0 or more
     */
    record PieceKey(Key key, long version, int digest, int index) implements Comparable<PieceKey> {

        @Override
        public int compareTo(PieceKey other) {
            int order = key.compareTo(other.key);
            order = order != 0 ? order : Long.compareUnsigned(version, other.version);
            order = order != 0 ? order : Integer.compareUnsigned(digest, other.digest);
            return order != 0 ? order : Integer.compare(index, other.index);
        }

        boolean isOf(Key other, Stored stored) {
            return version == stored.version() && digest == stored.digest() && key.equals(other);
        }
    }

    Pieces(MVStore store) {
        this.pieces = store.openMap(
                "pieces",
                new MVMap.Builder<PieceKey, byte[]>()
                        .keyType(new PageTypes.PieceKeys())
                        .valueType(new PageTypes.PieceBytes()));
    }

    /** Keeps the value of an entry, whose pieces may be there already. */
    void put(Entry entry, Runnable afterEach) {
        byte[] value = entry.value();
        for (int from = 0, index = 0; from < value.length; from += BYTES, index++) {
            pieces.put(
                    new PieceKey(entry.key(), entry.version().packed(), entry.digest(), index),
                    Arrays.copyOfRange(value, from, Math.min(value.length, from + BYTES)));
            afterEach.run();
        }
    }

    /** Removes the values of a key, but that of an entry. */
    void removeOthers(Key key, @Nullable Stored kept) {
        List<PieceKey> over = new ArrayList<>();
        Cursor<PieceKey, byte[]> cursor = pieces.cursor(new PieceKey(key, 0, 0, NO_INDEX));
        while (cursor.hasNext()) {
            PieceKey piece = cursor.next();
            if (!piece.key().equals(key)) {
                break;
            }
            if (kept == null || !piece.isOf(key, kept)) {
                over.add(piece);
            }
        }
        over.forEach(pieces::remove);
    }

    /** All pieces as they are now. */
    RootReference<PieceKey, byte[]> root() {
        return pieces.flushAndGetRoot();
    }

    /** The entry of a key; null if its pieces are not all there, since it was superseded. */
    static @Nullable Entry entry(RootReference<PieceKey, byte[]> root, Key key, Stored stored) {
        byte[] value = new byte[stored.length()];
        int length = 0;
        Cursor<PieceKey, byte[]> cursor =
                new Cursor<>(root, new PieceKey(key, stored.version(), stored.digest(), 0), null);
        while (length < value.length && cursor.hasNext()) {
            if (!cursor.next().isOf(key, stored)) {
                break;
            }
            byte[] piece = cursor.getValue();
            if (piece.length > value.length - length) {
                break;
            }
            System.arraycopy(piece, 0, value, length, piece.length);
            length += piece.length;
        }
        return length == value.length ? stored.toEntry(key, value) : null;
    }
}
