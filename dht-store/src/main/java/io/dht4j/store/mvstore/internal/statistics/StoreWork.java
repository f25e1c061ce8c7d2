package io.dht4j.store.mvstore.internal.statistics;

import io.dht4j.StoreStatistics.Work;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The work of one kind of a store: counts it, and reports it to the Flight Recorder while that is recording. Safe for
 * use by any number of threads.
 */
public final class StoreWork {

    /** The kinds of work that have an event. */
    public enum Kind {
        /** A table in memory is merged into the map. */
        MERGE,
        /** A part of the map's file is rewritten. */
        COMPACTION,
        /** A write waits for a merge. */
        WRITE_STALL
    }

    private final Kind kind;
    private final Path store;
    private final WorkMeter meter = new WorkMeter();

    /**
     * Creates the work of a store.
     *
     * @param kind the kind of work
     * @param store the directory of the store
     */
    public StoreWork(Kind kind, Path store) {
        this.kind = kind;
        this.store = store;
    }

    /** Begins a piece of work. Does not block. */
    public Piece begin() {
        return new Piece(FlightRecording.mayBeOn() ? event() : null);
    }

    private StoreEvent event() {
        StoreEvent event = switch (kind) {
            case MERGE -> new StoreEvent.Merge();
            case COMPACTION -> new StoreEvent.Compaction();
            case WRITE_STALL -> new StoreEvent.WriteStall();
        };
        event.begin();
        return event;
    }

    /** Returns the sum of the ended work. */
    public Work sum() {
        return meter.sum();
    }

    /** A piece of work; for the thread that does it. One that is never ended does not count. */
    public final class Piece {
        private final @Nullable StoreEvent event;
        private final long began = System.nanoTime();

        private Piece(@Nullable StoreEvent event) {
            this.event = event;
        }

        /**
         * Ends the work.
         *
         * @param writtenBytes the bytes that it wrote
         */
        public void end(long writtenBytes) {
            meter.ended(began, writtenBytes);
            if (event != null) {
                event.finish(store, writtenBytes);
            }
        }
    }
}
