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
 * What a client did to a key, and what it learned. Moments are numbers in the order in which things happened, from
 * {@link History#next}; clocks are wall clocks, in milliseconds since 1970. Belongs to the thread of its history.
 */
public final class Operation {

    /** A moment that did not come. */
    public static final int NEVER = Integer.MAX_VALUE;

    /** What was done. */
    public enum Kind {
        /** A value was written. */
        PUT,
        /** The key was deleted. */
        DELETE,
        /** The key was read by a quorum, hence monotonically. */
        READ,
        /** The key was looked for by a scan, which sees what was acknowledged, and is not monotonic. */
        SCAN,
        /** The key was looked for in a snapshot. */
        SNAPSHOT
    }

    /** What the client knows of it. */
    public enum Outcome {
        /** Nothing: it is under way, or its node has crashed. */
        OPEN,
        /** It happened. */
        DONE,
        /** It may have happened. */
        UNKNOWN,
        /** It certainly has not happened. */
        FAILED;

        /**
         * What an error tells of a write.
         *
         * @param error how the call failed
         * @return {@link #FAILED} if its code says that nothing has changed, {@link #UNKNOWN} for any other error
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
    /** Of what was written or read; empty if nothing was read, or the write's is not known. */
    private Optional<Version> version = Optional.empty();

    private byte @Nullable [] read;
    private final List<Sight> sights = new ArrayList<>();
    /** What a write left behind; made once for each version, since it is compared again and again. */
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
     * A write of a value that begins.
     *
     * @param key what is written
     * @param node whom the client asked
     * @param begun when, as a moment
     * @param clock the node's clock
     * @param value what is written: no two writes of a key may write the same, so that a read tells which one it shows
     * @param expiresAtMillis when it expires, or {@link Entry#NEVER}
     * @return an operation that is under way
     */
    public static Operation put(Key key, String node, int begun, long clock, byte[] value, long expiresAtMillis) {
        return new Operation(Kind.PUT, key, node, begun, clock, value, expiresAtMillis);
    }

    /**
     * A delete that begins.
     *
     * @param key what is deleted
     * @param node whom the client asked
     * @param begun when, as a moment
     * @param clock the node's clock
     * @return an operation that is under way
     */
    public static Operation delete(Key key, String node, int begun, long clock) {
        return new Operation(Kind.DELETE, key, node, begun, clock, null, Entry.NEVER);
    }

    /**
     * A read that begins.
     *
     * @param kind how it reads
     * @param key what is read
     * @param node whom the client asked
     * @param begun when, as a moment
     * @param clock the node's clock
     * @return an operation that is under way
     */
    public static Operation read(Kind kind, Key key, String node, int begun, long clock) {
        return new Operation(kind, key, node, begun, clock, null, Entry.NEVER);
    }

    /**
     * Takes note of the end.
     *
     * @param moment when
     * @param clock the node's clock
     * @param how what the client knows now
     */
    public void end(int moment, long clock, Outcome how) {
        ended = moment;
        clockAtEnd = clock;
        outcome = how;
    }

    /**
     * Takes note of what a write was acknowledged with.
     *
     * @param acknowledged the version that it has
     */
    public void wrote(Version acknowledged) {
        version = Optional.of(acknowledged);
    }

    /**
     * Takes note of what a read showed.
     *
     * @param value empty if nothing
     */
    public void showed(Optional<Value> value) {
        value.ifPresent(found -> {
            read = found.bytes();
            version = Optional.of(found.version());
        });
    }

    /** A monotonic read that ended at a moment has shown this write, with one of its stamps. */
    private record Sight(int moment, Version version) {}

    /** A monotonic read has shown this write, which may have been stamped again since, or be. */
    void seen(int moment, Version shown) {
        sights.add(new Sight(moment, shown));
        if (outcome != Outcome.DONE || version.isEmpty()) {
            version = Optional.of(shown);
        }
    }

    /**
     * What monotonic reads that ended before a moment have shown of this write: its entry, with the greatest version;
     * empty if none has.
     */
    Optional<Entry> seenBefore(int moment) {
        return sights.stream()
                .filter(sight -> sight.moment() < moment)
                .map(Sight::version)
                .max(Comparator.naturalOrder())
                .map(this::entry);
    }

    /**
     * Whether it changes its key.
     *
     * @return true for puts and deletes
     */
    public boolean isWrite() {
        return kind == Kind.PUT || kind == Kind.DELETE;
    }

    /**
     * Whether a monotonic read has shown this write.
     *
     * @return false for anything else, and for deletes
     */
    public boolean wasSeen() {
        return !sights.isEmpty();
    }

    /**
     * What was done.
     *
     * @return the kind
     */
    public Kind kind() {
        return kind;
    }

    /**
     * What it was done to.
     *
     * @return the key
     */
    public Key key() {
        return key;
    }

    /**
     * What the client knows of it.
     *
     * @return {@link Outcome#OPEN} until it ended
     */
    public Outcome outcome() {
        return outcome;
    }

    /**
     * When it ended.
     *
     * @return a moment, or {@link #NEVER}
     */
    public int ended() {
        return ended;
    }

    /**
     * What was written.
     *
     * @return the value, not a copy; null for deletes and reads
     */
    public byte @Nullable [] written() {
        return written;
    }

    /**
     * The version of what was written or read.
     *
     * @return empty if nothing was read, or the write's is not known
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

    /** The earlier of the clocks at begin and end: a clock may have been set back meanwhile. */
    long earliestClock() {
        return Math.min(clockAtBegin, clockAtEnd);
    }

    /** The later one. */
    long latestClock() {
        return Math.max(clockAtBegin, clockAtEnd);
    }

    /** Whether a reader whose clock shows a time may still see what was put. */
    boolean isLive(long clockMillis) {
        return expiresAtMillis == Entry.NEVER || clockMillis < expiresAtMillis;
    }

    /** What a write of a known version left at its replicas. */
    Entry entry() {
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
