package io.dht4j.store.mvstore.internal.memtable;

import io.dht4j.Key;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A skip list (W. Pugh, <em>Skip Lists: A Probabilistic Alternative to Balanced Trees</em>, 1990) over the entries of
 * an arena, in a few large arrays of numbers, without objects that the garbage collector would have to follow. A node
 * holds the first bytes of its key, so that a search rarely reads the arena.
 *
 * <p>{@link #insert} and {@link #seek} are for one thread at a time. The others are for any thread, without locks: a
 * node is written before it is linked, links are set from the lowest level up, and nodes are never removed.
 */
final class SkipIndex {

    /** No node: the end of a list. The head has this number too, which no link leads to. */
    static final int NONE = 0;

    /** A quarter of the nodes of a level is in the next one: enough levels for 4 to the power of this. */
    private static final int MAX_HEIGHT = 14;

    private static final int SLAB_SHIFT = 14;
    private static final int SLAB_INTS = 1 << SLAB_SHIFT;
    private static final int OFFSET_MASK = SLAB_INTS - 1;

    // A node: the prefix of its key in two parts, the reference of its entry, and a link for each level.
    private static final int PREFIX_LOW_AT = 1;
    private static final int RECORD_AT = 2;
    private static final int LINKS_AT = 3;

    private static final VarHandle INT = MethodHandles.arrayElementVarHandle(int[].class);

    private final RecordArena records;
    /** Grows by being replaced. */
    private volatile int[][] slabs = {new int[SLAB_INTS]};

    private volatile int height = 1;
    private volatile int publishedSize;

    // For the inserting thread.
    private final int[] before = new int[MAX_HEIGHT];
    private int size;
    private int slabCount = 1;
    /** The place of the next node; the head comes first. */
    private int end = LINKS_AT + MAX_HEIGHT;

    private long random;

    /**
     * An empty index.
     *
     * @param seed of the nodes' heights
     */
    SkipIndex(RecordArena records, long seed) {
        this.records = records;
        // Multiplied by an odd number, seeds that follow each other are far apart; a zero would stay zero.
        this.random = (seed + 1) * 0x9E3779B97F4A7C15L | 1;
    }

    int size() {
        return publishedSize;
    }

    /** The node of a key, or {@link #NONE}. */
    int find(Key key) {
        return ifEqual(key, ceiling(key, null));
    }

    /** As {@link #find}, and remembers where the key belongs, for {@link #insert}. For the inserting thread. */
    int seek(Key key) {
        Arrays.fill(before, NONE);
        return ifEqual(key, ceiling(key, before));
    }

    private int ifEqual(Key key, int node) {
        return node != NONE && compare(key, node) == 0 ? node : NONE;
    }

    /** The first node whose key is not less, or {@link #NONE}. */
    int ceiling(Key key) {
        return ceiling(key, null);
    }

    /** The node that comes after one, or {@link #NONE}. */
    int after(int node) {
        return link(node, 0);
    }

    /** The entry of a node. */
    int record(int node) {
        return (int) INT.getAcquire(slab(node), (node & OFFSET_MASK) + RECORD_AT);
    }

    /** Gives a node another entry of the same key. */
    void replace(int node, int record) {
        INT.setRelease(slab(node), (node & OFFSET_MASK) + RECORD_AT, record);
    }

    /**
     * Adds a node for a key that {@link #seek} has just been asked for and not found.
     *
     * @param record its entry
     */
    void insert(Key key, int record) {
        int levels = randomHeight();
        int node = allocate(LINKS_AT + levels);
        int[] slab = slab(node);
        int at = node & OFFSET_MASK;
        slab[at] = (int) (key.prefix() >>> Integer.SIZE);
        slab[at + PREFIX_LOW_AT] = (int) key.prefix();
        slab[at + RECORD_AT] = record;
        for (int level = 0; level < levels; level++) {
            slab[at + LINKS_AT + level] = link(before[level], level);
        }
        for (int level = 0; level < levels; level++) {
            INT.setRelease(slab(before[level]), (before[level] & OFFSET_MASK) + LINKS_AT + level, node);
        }
        if (levels > height) {
            height = levels;
        }
        publishedSize = ++size;
    }

    /** As {@link #ceiling(Key)}; also notes the last node before it on each level. */
    private int ceiling(Key key, int @Nullable [] path) {
        int node = NONE;
        int next = NONE;
        // A node that the search has compared on a level may be absent on the next one.
        int compared = NONE;
        for (int level = height - 1; level >= 0; level--) {
            next = link(node, level);
            while (next != NONE && next != compared && compare(key, next) > 0) {
                node = next;
                next = link(node, level);
            }
            compared = next;
            if (path != null) {
                path[level] = node;
            }
        }
        return next;
    }

    private int compare(Key key, int node) {
        int[] slab = slab(node);
        int at = node & OFFSET_MASK;
        long prefix = (long) slab[at] << Integer.SIZE | Integer.toUnsignedLong(slab[at + PREFIX_LOW_AT]);
        return prefix != key.prefix()
                ? Long.compareUnsigned(key.prefix(), prefix)
                : records.compareKey(key, record(node));
    }

    private int link(int node, int level) {
        return (int) INT.getAcquire(slab(node), (node & OFFSET_MASK) + LINKS_AT + level);
    }

    private int[] slab(int node) {
        return slabs[node >>> SLAB_SHIFT];
    }

    private int allocate(int ints) {
        if ((end & OFFSET_MASK) + ints > SLAB_INTS || end == slabCount << SLAB_SHIFT) {
            int[][] more = slabs;
            if (slabCount == more.length) {
                more = Arrays.copyOf(more, 2 * slabCount);
            }
            more[slabCount] = new int[SLAB_INTS];
            slabs = more;
            end = slabCount++ << SLAB_SHIFT;
        }
        int node = end;
        end += ints;
        return node;
    }

    /**
     * Returns 1 and, in one case of four each, one more. By Marsaglia's xorshift: only the speed depends on its
     * randomness.
     */
    private int randomHeight() {
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        return Math.min(MAX_HEIGHT, 1 + Long.numberOfTrailingZeros(random >>> 8 | 1L << 50) / 2);
    }
}
