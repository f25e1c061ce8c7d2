package io.dht4j.store.mvstore;

import io.dht4j.Key;
import java.util.function.LongPredicate;

/**
 * Keeps the file of the map small: what has been replaced stays in it until the chunk that has it is written again,
 * without it. MVStore chooses the chunks; this says when, how much, and in steps of which size, so that neither merges
 * nor requests wait for long. For the merging thread.
 */
final class Compactor {

    /** A file up to this size is left alone when there is nothing else to do. */
    private static final int SMALL_FILE_BYTES = 8 << 20;

    private static final int QUIET_BELOW_PERCENT = 70;
    private static final int WRITING_BELOW_PERCENT = 50;

    /** A chunk of which more is used is not rewritten. */
    private static final int MOST_REWRITTEN_BYTES = 8 * MapFile.CHUNK_BYTES;

    /** Settling rewrites so much at a time, or a step more, and moves twice as much. */
    private static final int SETTLING_BYTES = 16 << 20;

    /** One byte is rewritten for so many that merges write. */
    private static final int WRITTEN_PER_REWRITTEN = 4;

    private static final Key TICK = Key.of("tick");

    private final MapFile map;

    /** Up to which count of written bytes it has been done. */
    private long doneFor;

    Compactor(MapFile map) {
        this.map = map;
    }

    /**
     * Rewrites what is used of chunks of which little is, for a share of what has been written since the last call:
     * under lasting writes to a map much larger than a merge the file would otherwise grow to a multiple of what lives.
     */
    void forWhatWasWritten() {
        long written = map.fileStore.writtenBytes();
        while (doneFor + WRITTEN_PER_REWRITTEN * MapFile.CHUNK_BYTES <= written) {
            long rewritten = map.writing(file -> rewriteSome(WRITING_BELOW_PERCENT));
            doneFor = rewritten == 0 ? written : doneFor + WRITTEN_PER_REWRITTEN * rewritten;
        }
    }

    /**
     * Takes some steps towards a file without waste: drops chunks of which nothing is used any more, rewrites what is
     * used of chunks of which little is, moves chunks into gaps. MVStore leaves chunks alone that are younger than its
     * retention time.
     *
     * @param rest is told after each step when it began, and tells whether there is time for the next one
     */
    void settle(LongPredicate rest) {
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
            if (!isTidy() && map.fileStore.getFillRate() < QUIET_BELOW_PERCENT) {
                map.fileStore.compactMoveChunks(QUIET_BELOW_PERCENT, 2L * SETTLING_BYTES, map.store);
            }
            return file;
        });
    }

    private long settleSome() {
        if (isTidy()) {
            return 0;
        }
        long rewritten = rewriteSome(QUIET_BELOW_PERCENT);
        if (rewritten == 0) {
            // Chunks are dropped by commits, and a commit without a change does nothing.
            map.keepNumber(TICK, map.number(TICK) + 1);
            map.store.commit();
        }
        return rewritten;
    }

    private boolean isTidy() {
        UninterruptibleFileStore fileStore = map.fileStore;
        long used = fileStore.size() / 100 * fileStore.getFillRate();
        long live = used / 100 * fileStore.getChunksFillRate();
        return fileStore.size() <= SMALL_FILE_BYTES || fileStore.size() < live + live / 2;
    }

    /**
     * Rewrites as much as a chunk should have out of chunks of which little is used; only if there is none of which so
     * little is used, more.
     *
     * @return how many bytes were written; 0 if there is nothing to rewrite
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
