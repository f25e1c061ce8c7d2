package io.dht4j.store.mvstore.internal.statistics;

import java.nio.file.Path;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The events of stores for the Flight Recorder. Loaded only while it {@linkplain FlightRecording may be} recording. */
@Category({"dht4j", "Store"})
@StackTrace(false)
abstract class StoreEvent extends Event {

    @Label("Store")
    @Description("Directory of the store")
    String store = "";

    @Label("Written")
    @Description("Bytes written to the file of the map")
    @DataAmount
    long writtenBytes;

    /** Ends the event, and records it if it is long enough. */
    final void finish(Path directory, long bytes) {
        end();
        if (shouldCommit()) {
            store = directory.toString();
            writtenBytes = bytes;
            commit();
        }
    }

    /** A merge. */
    @Name("io.dht4j.StoreMerge")
    @Label("Store Merge")
    @Description("A table in memory is merged into the map on the disk; pauses are included")
    static final class Merge extends StoreEvent {}

    /** A compaction. */
    @Name("io.dht4j.StoreCompaction")
    @Label("Store Compaction")
    @Description("Live entries of the map's file are rewritten, so that it gets smaller; pauses are included")
    static final class Compaction extends StoreEvent {}

    /** A write stall. */
    @Name("io.dht4j.StoreWriteStall")
    @Label("Store Write Stall")
    @Description("Writes wait for a merge, since the tables in memory are full")
    static final class WriteStall extends StoreEvent {}
}
