package io.dht4j.benchmarks.blocking;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** The messages of blocking nodes: a key to read, or an entry to apply; in reply an entry or none. */
final class Message {

    private static final byte READ = 1;
    private static final byte APPLY = 2;
    private static final byte NOTHING = 3;
    private static final int VALUE = 0;
    private static final int TOMBSTONE = 1;
    private static final int FIXED = 1 + 4 + 8 + 1;

    private Message() {}

    static byte[] read(Key key) {
        byte[] name = key.unsafeBytes();
        return ByteBuffer.allocate(1 + name.length).put(READ).put(name).array();
    }

    static byte[] apply(Entry entry) {
        byte[] name = entry.key().unsafeBytes();
        byte[] value = entry.isTombstone() ? new byte[0] : entry.value();
        return ByteBuffer.allocate(FIXED + name.length + value.length)
                .put(APPLY)
                .putInt(name.length)
                .putLong(entry.version().packed())
                .put((byte) (entry.isTombstone() ? TOMBSTONE : VALUE))
                .put(name)
                .put(value)
                .array();
    }

    static byte[] found(Optional<Entry> entry) {
        return entry.map(Message::apply).orElse(new byte[] {NOTHING});
    }

    static boolean isRead(byte[] frame) {
        return frame.length > 1 && frame[0] == READ;
    }

    static Key keyOf(byte[] read) {
        byte[] name = new byte[read.length - 1];
        ByteBuffer.wrap(read, 1, name.length).get(name);
        return Key.of(name);
    }

    /**
     * Returns the entry of a frame.
     *
     * @throws IllegalArgumentException if the frame is malformed
     */
    static Optional<Entry> entryOf(byte[] frame) {
        if (frame.length == 1 && frame[0] == NOTHING) {
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(frame);
        try {
            byte kind = in.get();
            int length = in.getInt();
            Version version = new Version(in.getLong());
            boolean tombstone = in.get() == TOMBSTONE;
            if (kind != APPLY || length < 1 || length > in.remaining()) {
                throw new IllegalArgumentException("malformed frame of " + frame.length + " bytes");
            }
            byte[] name = new byte[length];
            in.get(name);
            byte[] value = new byte[in.remaining()];
            in.get(value);
            Key key = Key.of(name);
            return Optional.of(
                    tombstone ? Entry.tombstone(key, version) : Entry.value(key, version, value, Entry.NEVER));
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("malformed frame of " + frame.length + " bytes", e);
        }
    }
}
