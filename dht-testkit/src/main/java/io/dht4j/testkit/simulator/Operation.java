package io.dht4j.testkit.simulator;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a client did to a key, and what it learned. Moments are numbers in the order in which things happened.
 */
final class Operation {

    /** A moment that did not come. */
    static final int NEVER = Integer.MAX_VALUE;

    /** What was done. */
    enum Kind {
        PUT,
        DELETE,
        /** By a quorum, hence monotonic. */
        READ,
        /** By a scan, which sees what was acknowledged, and is not monotonic. */
        SCAN
    }

    /** What the client knows of it. */
    enum Outcome {
        /** Nothing: it is under way, or its node has crashed. */
        OPEN,
        DONE,
        /** It may have happened. */
        UNKNOWN,
        /** It certainly has not happened. */
        FAILED
    }

    final Kind kind;
    final Key key;
    final String node;
    final int begun;
    /** The node's wall clock when it began. */
    final long clockAtBegin;
    /** What was written. */
    final byte @Nullable [] written;
    /** When what was written expires. */
    final long expiresAtMillis;

    Outcome outcome = Outcome.OPEN;
    int ended = NEVER;
    /** The node's wall clock when it ended. */
    long clockAtEnd;
    /** Of what was written or read; empty if nothing was read, or the write's is not known. */
    Optional<Version> version = Optional.empty();
    /** What was read. */
    byte @Nullable [] read;
    /** For a write: when a monotonic read first showed it. */
    int seen = NEVER;

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

    static Operation put(Key key, String node, int begun, long clock, byte[] value, long expiresAtMillis) {
        return new Operation(Kind.PUT, key, node, begun, clock, value, expiresAtMillis);
    }

    static Operation delete(Key key, String node, int begun, long clock) {
        return new Operation(Kind.DELETE, key, node, begun, clock, null, Entry.NEVER);
    }

    static Operation read(Kind kind, Key key, String node, int begun, long clock) {
        return new Operation(kind, key, node, begun, clock, null, Entry.NEVER);
    }

    boolean isWrite() {
        return kind == Kind.PUT || kind == Kind.DELETE;
    }

    /** Whether a reader whose clock shows a time may still see what was put. */
    boolean isLive(long clockMillis) {
        return expiresAtMillis == Entry.NEVER || clockMillis < expiresAtMillis;
    }

    /** What a write of a known version left at its replicas. */
    Entry entry() {
        Version known = version.orElseThrow();
        return written == null ? Entry.tombstone(key, known) : Entry.value(key, known, written, expiresAtMillis);
    }

    @Override
    public String toString() {
        return begun + " to " + (ended == NEVER ? "?" : String.valueOf(ended)) + ": " + node + " " + kind + " " + key
                + " " + outcome + version.map(v -> " " + v).orElse("");
    }
}
