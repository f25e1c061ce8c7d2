package io.dht4j.store.mvstore.internal.memtable;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.SearchEffort;
import java.nio.file.Path;
import java.util.Iterator;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Readers without locks beside the one writer of a table and its skip list: whatever they see could have happened one
 * after the other. The entries are so large that the arena keeps them as objects: Lincheck does not know the views of
 * byte arrays through which it writes small ones.
 */
@Tag("search")
@Tag("full")
class MemtableInterleavingsTest {

    private static final byte[] LARGE = new byte[RecordArena.LARGE_BYTES + 1];

    @Test
    void readersSeeTheWritesOfOneThreadAsIfTheyTookTurns() {
        new ModelCheckingOptions()
                .iterations(SearchEffort.of(5))
                .invocationsPerIteration(100)
                .threads(3)
                .actorsBefore(2)
                .actorsPerThread(3)
                .check(OneWriter.class);
    }

    /** A table that one thread at a time writes. */
    public static class OneWriter {

        private final Memtable table = new Memtable(1, Path.of("segment"));

        /** Writes, if nothing newer is there. */
        @Operation(nonParallelGroup = "writer")
        public void put(
                @Param(gen = IntGen.class, conf = "1:4") int key,
                @Param(gen = IntGen.class, conf = "1:4") int version) {
            table.put(Entry.value(key(key), Version.of(version, 0), LARGE, Entry.NEVER));
        }

        /** Looks for a key. */
        @Operation
        public String get(@Param(gen = IntGen.class, conf = "1:4") int key) {
            Entry entry = table.get(key(key));
            return entry == null ? "nothing" : shown(entry);
        }

        /** Looks for the first one from a key on. */
        @Operation
        public String first(@Param(gen = IntGen.class, conf = "1:4") int from) {
            Iterator<Entry> entries = table.from(key(from));
            return entries.hasNext() ? shown(entries.next()) : "nothing";
        }

        private static Key key(int number) {
            return Key.of("key" + number);
        }

        private static String shown(Entry entry) {
            return entry.key() + " " + entry.version().millis();
        }
    }
}
