package io.dht4j.core.internal.replica;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.observation.HotKeyCounter;
import io.dht4j.core.internal.observation.HotKeyWindow;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.refill.PartitionReadBarrier;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Observer;
import io.dht4j.spi.Store;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads keys and pages of the store, unless reads of their partitions are refused. Blocks as the store does, and passes
 * on its exceptions. Safe for use by any number of threads.
 */
final class ReplicaReader {

    /** The number of entries that a page may examine for each returned one, so that a sparse page ends too. */
    private static final int EXAMINED_PER_ENTRY = 16;

    private final Store store;
    private final HybridClock clock;
    private final RowGuard rows;
    private final int maxValueBytes;
    private final PartitionReadBarrier barrier;
    private final HotKeyCounter hotKeys;

    /**
     * Creates a reader.
     *
     * @param store the store
     * @param clock judges versions
     * @param rows refuses reads with another table
     * @param maxValueBytes roughly the largest reply
     * @param barrier the partitions whose reads are refused
     * @param hotKeys counts the keys of reads on demand
     */
    ReplicaReader(
            Store store,
            HybridClock clock,
            RowGuard rows,
            int maxValueBytes,
            PartitionReadBarrier barrier,
            HotKeyCounter hotKeys) {
        this.store = store;
        this.clock = clock;
        this.rows = rows;
        this.maxValueBytes = maxValueBytes;
        this.barrier = barrier;
        this.hotKeys = hotKeys;
    }

    /** Returns the space for the values of the reply to one request. */
    private ReplyRoom room() {
        return new ReplyRoom(maxValueBytes, maxValueBytes);
    }

    /** Returns the space for the values of the replies to a batch. */
    ReplyRoom room(Request.Batch batch) {
        return new ReplyRoom(
                Math.min(batch.replyBytes(), maxValueBytes), Math.min(batch.largestBytes(), maxValueBytes));
    }

    /**
     * Returns a read of keys.
     *
     * @param rowVersion the row version that came with it
     * @param room the space for values in a shared reply; null for a separate reply
     */
    StoreGate.Work work(Request.ReadKeys read, long rowVersion, @Nullable ReplyRoom room) {
        return new KeysWork(this, read, rowVersion, room);
    }

    private record KeysWork(
            ReplicaReader reader,
            Request.ReadKeys read,
            long rowVersion,
            @Nullable ReplyRoom room) implements StoreGate.Work {

        @Override
        public Optional<Reply> fromMemory() {
            return reader.readFromMemory(read, rowVersion, room == null ? reader.room() : room);
        }

        @Override
        public Reply fromStore() {
            return reader.read(read, rowVersion, room == null ? reader.room() : room);
        }

        @Override
        public Observer.Request kind() {
            return Observer.Request.READ;
        }

        @Override
        public int items() {
            return read.queries().size();
        }
    }

    /** Returns the reply if the store has all of it in memory, which saves a switch to a store thread and back. */
    private Optional<Reply> readFromMemory(Request.ReadKeys read, long rowVersion, ReplyRoom room) {
        Reply refusal = refusal(read, rowVersion);
        if (refusal != null) {
            return Optional.of(refusal);
        }
        List<Optional<Entry>> entries = new ArrayList<>(read.queries().size());
        for (Request.Query query : read.queries()) {
            Optional<Store.Held> held = store.getFromMemory(query.key());
            if (held.isEmpty()) {
                return Optional.empty();
            }
            entries.add(held.get().entry());
        }
        Iterator<Optional<Entry>> found = entries.iterator();
        return Optional.of(show(read, rowVersion, key -> found.next(), room));
    }

    private Reply read(Request.ReadKeys read, long rowVersion, ReplyRoom room) {
        Reply refusal = refusal(read, rowVersion);
        return refusal == null ? show(read, rowVersion, store::get, room) : refusal;
    }

    /** Returns why keys may not be read now, or null. */
    private @Nullable Reply refusal(Request.ReadKeys read, long rowVersion) {
        Reply refusal = rows.refusalOfKeys(read.queries(), rowVersion);
        return refusal == null && isRefused(read) ? refused(partitions(read.queries())) : refusal;
    }

    /** Reads keys, and returns the reply if reads are still allowed. */
    private Reply show(Request.ReadKeys read, long rowVersion, Function<Key, Optional<Entry>> get, ReplyRoom room) {
        HotKeyWindow window = hotKeys.window();
        Function<Key, Optional<Entry>> got = window == null ? get : counted(window, get);
        Shown shown = answer(read.queries(), got, read.inlineBytes(), room);
        if (isTooFarAhead(shown.newest())) {
            return tooFarAhead(shown);
        }
        Reply found = shown.reply();
        // Reads may have been refused since the first check: entries may have been missing.
        Reply refusal = refusal(read, rowVersion);
        return refusal == null ? found : refusal;
    }

    private static Function<Key, Optional<Entry>> counted(HotKeyWindow window, Function<Key, Optional<Entry>> get) {
        return key -> {
            Optional<Entry> found = get.apply(key);
            window.read(key, found);
            return found;
        };
    }

    /** Reads keys for a comparison, also of partitions whose other reads are refused. */
    Reply read(RepairRequest.Entries read) {
        return answer(read.queries(), store::get, 0, room()).reply();
    }

    private PartitionSet partitions(List<Request.Query> queries) {
        return PartitionSet.builder()
                .addAll(queries.stream().mapToInt(query -> rows.partitionOf(query.key())))
                .build();
    }

    /**
     * The result of a read.
     *
     * @param reply the reply
     * @param newest its newest version; null if no entry was found
     * @param newestKey the key of that version
     */
    private record Shown(
            Reply reply, @Nullable Version newest, @Nullable Key newestKey) {}

    private boolean isTooFarAhead(@Nullable Version newest) {
        return newest != null && clock.isTooFarAhead(newest);
    }

    /** Refuses to return an entry of a wrong clock before its time: other replicas may hold a correct one. */
    private static Reply tooFarAhead(Shown shown) {
        return new Reply.Failed(
                ErrorCode.VERSION_TOO_FAR_AHEAD,
                "version " + shown.newest() + ", which it holds of key " + shown.newestKey()
                        + ", is too far ahead of its clock");
    }

    /** Reads one key after the other, so that of many values that do not fit, at most one is in memory. */
    private Shown answer(
            List<Request.Query> queries, Function<Key, Optional<Entry>> get, int inlineBytes, ReplyRoom room) {
        List<Answer> answers = new ArrayList<>(queries.size());
        // Only the newest version is checked against the clock, so that the clock is read once.
        @Nullable Version newest = null;
        @Nullable Key newestKey = null;
        for (Request.Query query : queries) {
            Optional<Entry> found = get.apply(query.key());
            if (found.isEmpty()) {
                answers.add(new Answer.Absent());
                continue;
            }
            Entry entry = found.get();
            if (newest == null || entry.version().compareTo(newest) > 0) {
                newest = entry.version();
                newestKey = entry.key();
            }
            int bytes = entry.value().length;
            // Values that do not fit are fetched separately afterwards.
            if ((query.whole() || bytes <= inlineBytes) && room.take(bytes)) {
                answers.add(new Answer.Whole(entry));
            } else {
                answers.add(new Answer.VersionOnly(entry.version(), bytes, entry.digest()));
            }
        }
        return new Shown(new Reply.Found(answers), newest, newestKey);
    }

    private boolean isRefused(Request.ReadKeys read) {
        return !barrier.isEmpty()
                && read.queries().stream().anyMatch(query -> barrier.contains(rows.partitionOf(query.key())));
    }

    /** Returns the refusal of a read: a quorum must not count a replica that may lack entries. */
    Reply refused(PartitionSet partitions) {
        return new Reply.Failed(ErrorCode.REPLICA_REFILLING, barrier.why(partitions));
    }

    /**
     * Reads a page. A cursor may show a state as old as its opening or as new as its last entry. So every partition
     * must be complete before and after, with an unchanged row.
     */
    Reply page(Request.ScanPage scan, long rowVersion, Supplier<EntryCursor> entriesOfRange) {
        Reply refusal = refusal(scan.partitions(), rowVersion);
        if (refusal != null) {
            return refusal;
        }
        Reply page = readPage(scan, entriesOfRange);
        Reply after = refusal(scan.partitions(), rowVersion);
        return after == null ? page : after;
    }

    /** Returns whether entries may be missing here although a snapshot would count this node as a replica. */
    boolean lacksEntries() {
        return isRefused(rows.held());
    }

    private @Nullable Reply refusal(PartitionSet partitions, long rowVersion) {
        Reply refusal = rows.refusalOfRange(partitions, rowVersion);
        return refusal == null && isRefused(partitions) ? refused(partitions) : refusal;
    }

    private boolean isRefused(PartitionSet partitions) {
        return !barrier.isEmpty() && (partitions.isEmpty() || barrier.containsAny(partitions));
    }

    private Reply readPage(Request.ScanPage scan, Supplier<EntryCursor> entriesOfRange) {
        int maxBytes = Math.min(scan.maxBytes(), maxValueBytes);
        int maxEntries = Math.max(1, scan.maxEntries());
        PartitionSet partitions = scan.partitions();
        List<Entry> entries = new ArrayList<>();
        long bytes = 0;
        long examinable = (long) maxEntries * EXAMINED_PER_ENTRY;
        try (EntryCursor cursor = entriesOfRange.get()) {
            while (cursor.hasNext()) {
                Entry entry = cursor.next();
                boolean wanted = partitions.isEmpty() || partitions.contains(rows.partitionOf(entry.key()));
                boolean full = entries.size() == maxEntries
                        || (!entries.isEmpty() && bytes + FrameCodec.encodedSize(entry) > maxBytes);
                if (examinable-- == 0 || (wanted && full)) {
                    return new Reply.Page(entries, Optional.of(entry.key()));
                }
                if (wanted) {
                    entries.add(entry);
                    bytes += FrameCodec.encodedSize(entry);
                }
            }
        }
        return new Reply.Page(entries, Optional.empty());
    }
}
