package io.dht4j.store.mvstore.internal.map;

import io.dht4j.Key;
import java.util.function.LongPredicate;

/**
 * Keeps the file of the map small. Replaced entries stay in it until the live rest of their chunk is rewritten. MVStore
 * chooses the chunks; this class decides the time, the amount and the step size of rewrites, so that merges and
 * requests wait only briefly. For the merging thread.
 */
public final class Compactor {

    /** A file up to this size is compact. */
    private static final int SMALL_FILE_BYTES = 8 << 20;

    private static final int QUIET_BELOW_PERCENT = 70;
    private static final int WRITING_BELOW_PERCENT = 50;

    /** A chunk with more live bytes is not rewritten. */
    private static final int MOST_REWRITTEN_BYTES = 8 * MapFile.CHUNK_BYTES;

    /** {@link #settle} rewrites so much, or a step more, and moves twice as much. */
    private static final int SETTLING_BYTES = 16 << 20;

    /** One byte is rewritten for so many bytes of merges. */
    private static final int WRITTEN_PER_REWRITTEN = 4;

    private static final Key TICK = Key.of("tick");

    private final MapFile map;

    /** The count of written bytes for which chunks have been rewritten. */
    private long rewrittenFor;

    Compactor(MapFile map) {
        this.map = map;
    }

    /**
     * Rewrites chunks that are mostly garbage, in proportion to the bytes written since the last call. Under lasting
     * writes to a map much larger than a merge the file would otherwise grow to a multiple of its live entries.
     */
    public void rewriteForWrites() {
        long written = map.fileStore.writtenBytes();
        while (rewrittenFor + WRITTEN_PER_REWRITTEN * MapFile.CHUNK_BYTES <= written) {
            long rewritten = map.writing(file -> rewriteSome(WRITING_BELOW_PERCENT));
            rewrittenFor = rewritten == 0 ? written : rewrittenFor + WRITTEN_PER_REWRITTEN * rewritten;
        }
    }

    /**
     * Takes some steps towards a file without garbage: drops chunks without live pages, rewrites chunks that are mostly
     * garbage, and moves chunks into gaps. MVStore keeps chunks that are younger than its retention time.
     *
     * @param rest gets the start of each step in nanoseconds, after the step; returns whether to take the next one
     */
    public void settle(LongPredicate rest) {
        long rewritten = 0;
        long some;
        do {
            long began = System.nanoTime();
            some = map.writing(file -> settleSome());
            rewritten += some;
            if (!rest.test(began)) {
                return;
            }
        } while (some > 0 && rewritten < SETTLING_BYTES);
        map.writing(file -> {
            if (!isCompact() && map.fileStore.getFillRate() < QUIET_BELOW_PERCENT) {
                map.fileStore.compactMoveChunks(QUIET_BELOW_PERCENT, 2L * SETTLING_BYTES, map.store);
            }
            return file;
        });
    }

    /**
     * Takes one step of {@link #settle}, and moves no chunks, while writes come: its buffers and its pages in the cache
     * cost the requests more than a large file does.
     */
    public void settleUnderWrites() {
        map.writing(file -> settleSome());
    }

    private long settleSome() {
        if (isCompact()) {
            return 0;
        }
        long rewritten = rewriteSome(QUIET_BELOW_PERCENT);
        if (rewritten == 0) {
            // Chunks are dropped by commits, and a commit without a change does nothing.
            map.putNumber(TICK, map.number(TICK) + 1);
            map.store.commit();
        }
        return rewritten;
    }

    private boolean isCompact() {
        H2FileStore fileStore = map.fileStore;
        long live = liveBytes();
        return fileStore.size() <= SMALL_FILE_BYTES || fileStore.size() < live + live / 2;
    }

    /** Returns the bytes of live pages in the file, to a few percent. */
    long liveBytes() {
        H2FileStore fileStore = map.fileStore;
        long used = fileStore.size() / 100 * fileStore.getFillRate();
        return used / 100 * fileStore.getChunksFillRate();
    }

    /**
     * Rewrites the size of a chunk, out of the chunks with the fewest live bytes; more only if every chunk has more.
     *
     * @return the number of written bytes; 0 if no rewrite is needed
     */
    private long rewriteSome(int belowPercent) {
        long before = map.fileStore.writtenBytes();
        for (int limit = MapFile.CHUNK_BYTES; limit <= MOST_REWRITTEN_BYTES; limit *= 2) {
            if (map.fileStore.rewrite(belowPercent, limit)) {
                map.store.commit();
                return Math.max(1, map.fileStore.writtenBytes() - before);
            }
        }
        return 0;
    }
}
