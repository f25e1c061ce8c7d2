package io.dht4j.simulator.history;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An operation of a client on a key, and its result. Moments are numbers of {@link History#next} in the order of
 * events; clocks are wall clocks, in milliseconds since 1970. Confined to the thread of its history.
 */
public final class Operation {

    /** A moment that never comes. */
    public static final int NEVER = Integer.MAX_VALUE;

    /** The kind of an operation. */
    public enum Kind {
        /** A write of a value. */
        PUT,
        /** A delete of the key. */
        DELETE,
        /** A quorum read of the key, which is monotonic. */
        READ,
        /** A lookup of the key by a scan, which sees acknowledged writes and is not monotonic. */
        SCAN,
        /** A lookup of the key in a snapshot. */
        SNAPSHOT
    }

    /** The outcome of an operation as the client knows it. */
    public enum Outcome {
        /** No outcome yet: the operation is running, or its node has crashed. */
        OPEN,
        /** The operation has happened. */
        DONE,
        /** The operation may have happened. */
        UNKNOWN,
        /** The operation has certainly not happened. */
        FAILED;

        /**
         * Returns the outcome of a failed write.
         *
         * @param error how the call failed
         * @return {@link #FAILED} if its code means no effect, {@link #UNKNOWN} for any other error
         */
        public static Outcome of(Throwable error) {
            return DhtException.unwrap(error) instanceof DhtException known
                            && known.code().action() != ErrorCode.Action.REPEAT_ONLY_THIS
                    ? FAILED
                    : UNKNOWN;
        }
    }

    private final Kind kind;
    private final Key key;
    private final String node;
    private final int begun;
    private final long clockAtBegin;
    private final byte @Nullable [] written;
    private final long expiresAtMillis;

    private Outcome outcome = Outcome.OPEN;
    private int ended = NEVER;
    private long clockAtEnd;
    /** The version written or read; empty if no value was read, or the write's version is unknown. */
    private Optional<Version> version = Optional.empty();

    private byte @Nullable [] read;
    private final List<Sight> sights = new ArrayList<>();
    /** The entry of a write, cached for each version since it is compared often. */
    private @Nullable Entry entry;

    private Operation(
            Kind kind,
            Key key,
            String node,
            int begun,
            long clockAtBegin,
            byte @Nullable [] written,
            long expiresAtMillis) {
        this.kind = kind;
        this.key = key;
        this.node = node;
        this.begun = begun;
        this.clockAtBegin = clockAtBegin;
        this.written = written;
        this.expiresAtMillis = expiresAtMillis;
    }

    /**
     * Creates a running write of a value.
     *
     * @param key the key
     * @param node the coordinator
     * @param begun the moment of the beginning
     * @param clock the node's clock
     * @param value the value, unique among the writes of a key, so that it identifies the write
     * @param expiresAtMillis when it expires, or {@link Entry#NEVER}
     * @return a running operation
     */
    public static Operation put(Key key, String node, int begun, long clock, byte[] value, long expiresAtMillis) {
        return new Operation(Kind.PUT, key, node, begun, clock, value, expiresAtMillis);
    }

    /**
     * Creates a running delete.
     *
     * @param key the key
     * @param node the coordinator
     * @param begun the moment of the beginning
     * @param clock the node's clock
     * @return a running operation
     */
    public static Operation delete(Key key, String node, int begun, long clock) {
        return new Operation(Kind.DELETE, key, node, begun, clock, null, Entry.NEVER);
    }

    /**
     * Creates a running read.
     *
     * @param kind the kind of read
     * @param key the key
     * @param node the coordinator
     * @param begun the moment of the beginning
     * @param clock the node's clock
     * @return a running operation
     */
    public static Operation read(Kind kind, Key key, String node, int begun, long clock) {
        return new Operation(kind, key, node, begun, clock, null, Entry.NEVER);
    }

    /**
     * Records the end.
     *
     * @param moment the moment of the end
     * @param clock the node's clock
     * @param how the outcome
     */
    public void end(int moment, long clock, Outcome how) {
        ended = moment;
        clockAtEnd = clock;
        outcome = how;
    }

    /**
     * Records the acknowledged version of a write.
     *
     * @param acknowledged the version
     */
    public void wrote(Version acknowledged) {
        version = Optional.of(acknowledged);
    }

    /**
     * Records the result of a read.
     *
     * @param value the value; empty for none
     */
    public void showed(Optional<Value> value) {
        value.ifPresent(found -> {
            read = found.bytes();
            version = Optional.of(found.version());
        });
    }

    /** The moment at which a monotonic read that showed this write ended, and the version that it showed. */
    private record Sight(int moment, Version version) {}

    /**
     * Records that a monotonic read has shown this write. The write may get another version, or may already have one.
     */
    void seen(int moment, Version shown) {
        sights.add(new Sight(moment, shown));
        if (outcome != Outcome.DONE || version.isEmpty()) {
            version = Optional.of(shown);
        }
    }

    /**
     * Returns the entry of this write with the greatest version shown by monotonic reads that ended before a moment;
     * empty if none has shown it.
     */
    Optional<Entry> seenBefore(int moment) {
        return sights.stream()
                .filter(sight -> sight.moment() < moment)
                .map(Sight::version)
                .max(Comparator.naturalOrder())
                .map(this::entry);
    }

    /**
     * Returns whether the operation changes its key.
     *
     * @return true for puts and deletes
     */
    public boolean isWrite() {
        return kind == Kind.PUT || kind == Kind.DELETE;
    }

    /**
     * Returns whether a monotonic read has shown this write.
     *
     * @return false for any other operation, and for deletes
     */
    public boolean wasSeen() {
        return !sights.isEmpty();
    }

    /**
     * Returns the kind of the operation.
     *
     * @return the kind
     */
    public Kind kind() {
        return kind;
    }

    /**
     * Returns the key of the operation.
     *
     * @return the key
     */
    public Key key() {
        return key;
    }

    /**
     * Returns the outcome as the client knows it.
     *
     * @return {@link Outcome#OPEN} until the operation has ended
     */
    public Outcome outcome() {
        return outcome;
    }

    /**
     * Returns when the operation ended.
     *
     * @return a moment, or {@link #NEVER}
     */
    public int ended() {
        return ended;
    }

    /**
     * Returns the written value.
     *
     * @return the value, not a copy; null for deletes and reads
     */
    public byte @Nullable [] written() {
        return written;
    }

    /**
     * Returns the version written or read.
     *
     * @return empty if no value was read, or the write's version is unknown
     */
    public Optional<Version> version() {
        return version;
    }

    int begun() {
        return begun;
    }

    long expiresAtMillis() {
        return expiresAtMillis;
    }

    byte @Nullable [] read() {
        return read;
    }

    /** Returns the earlier of the clocks at the beginning and the end: a clock may have been turned back in between. */
    long earliestClock() {
        return Math.min(clockAtBegin, clockAtEnd);
    }

    /** Returns the later of the clocks at the beginning and the end. */
    long latestClock() {
        return Math.max(clockAtBegin, clockAtEnd);
    }

    /** Returns whether a reader whose clock shows a time may still see the value. */
    boolean isLive(long clockMillis) {
        return expiresAtMillis == Entry.NEVER || clockMillis < expiresAtMillis;
    }

    /**
     * Returns the entry of a write with a known version.
     *
     * @return the entry that replicas store
     * @throws java.util.NoSuchElementException if the version is unknown
     */
    public Entry entry() {
        return entry(version.orElseThrow());
    }

    private Entry entry(Version known) {
        Entry made = entry;
        if (made == null || !made.version().equals(known)) {
            made = written == null ? Entry.tombstone(key, known) : Entry.value(key, known, written, expiresAtMillis);
            entry = made;
        }
        return made;
    }

    @Override
    public String toString() {
        return begun + " to " + (ended == NEVER ? "?" : String.valueOf(ended)) + ": " + node + " " + kind + " " + key
                + " " + outcome + version.map(v -> " " + v).orElse("");
    }
}
