package io.dht4j.store.mvstore.internal.map;

import io.dht4j.Key;
import io.dht4j.spi.Entry;
import io.dht4j.store.mvstore.internal.map.LargeValues.FragmentKey;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;

/**
 * The format of keys and values in the pages of the map. MVStore checks the position and length of its pages, but not
 * their content. So the keys of a page, and the values of a page, each form a block with its length and CRC32C, which
 * are checked before decoding.
 */
final class PageTypes {

    private static final byte PLAIN = 0;
    private static final byte TOMBSTONE = 1;
    /** A value whose bytes are in {@link LargeValues}; older files have none. */
    private static final byte FRAGMENTED = 2;

    private PageTypes() {}

    /** A data type whose items of one page are protected by one checksum. */
    private abstract static class Checked<T> extends BasicDataType<T> {

        private static final int HEADER_BYTES = 2 * Integer.BYTES;

        @Override
        public final void write(WriteBuffer buffer, Object storage, int count) {
            int start = buffer.position();
            buffer.putInt(0).putInt(0);
            T[] items = cast(storage);
            for (int i = 0; i < count; i++) {
                encode(buffer, items[i]);
            }
            int end = buffer.position();
            ByteBuffer body = buffer.getBuffer().duplicate();
            body.limit(end).position(start + HEADER_BYTES);
            buffer.putInt(start, end - start - HEADER_BYTES);
            buffer.putInt(start + Integer.BYTES, crc(body));
        }

        @Override
        public final void read(ByteBuffer buffer, Object storage, int count) {
            if (buffer.remaining() < HEADER_BYTES) {
                throw corrupt("a block's header is cut off");
            }
            int length = buffer.getInt();
            int expected = buffer.getInt();
            if (length < 0 || length > buffer.remaining()) {
                throw corrupt("a block claims " + length + " bytes where " + buffer.remaining() + " are");
            }
            int end = buffer.position() + length;
            ByteBuffer body = buffer.duplicate();
            body.limit(end);
            int actual = crc(body);
            if (actual != expected) {
                throw corrupt(
                        "checksum is " + Integer.toHexString(actual) + ", should be " + Integer.toHexString(expected));
            }
            T[] items = cast(storage);
            for (int i = 0; i < count; i++) {
                items[i] = decode(buffer);
            }
            if (buffer.position() != end) {
                throw corrupt("a block of " + length + " bytes does not hold " + count + " items");
            }
        }

        @Override
        public final void write(WriteBuffer buffer, T item) {
            encode(buffer, item);
        }

        @Override
        public final T read(ByteBuffer buffer) {
            return decode(buffer);
        }

        /** Values differ in size by millions: an estimate from a sample would not bound the memory. */
        @Override
        public final boolean isMemoryEstimationAllowed() {
            return false;
        }

        abstract void encode(WriteBuffer buffer, T item);

        abstract T decode(ByteBuffer buffer);

        private static int crc(ByteBuffer bytes) {
            CRC32C crc = new CRC32C();
            crc.update(bytes);
            return (int) crc.getValue();
        }
    }

    static RuntimeException corrupt(String what) {
        return DataUtils.newMVStoreException(DataUtils.ERROR_FILE_CORRUPT, "page content: {0}", what);
    }

    /** Takes bytes out of a buffer, having checked that they are there. */
    private static byte[] take(ByteBuffer buffer, int length) {
        if (length < 0 || length > buffer.remaining()) {
            throw corrupt("an item claims " + length + " bytes where " + buffer.remaining() + " are");
        }
        byte[] bytes = new byte[length];
        buffer.get(bytes);
        return bytes;
    }

    /** Keys, ordered as unsigned bytes. */
    static final class Keys extends Checked<Key> {

        /** A key, its array's header, and a reference to it. */
        private static final int OVERHEAD_BYTES = 44;

        @Override
        public int getMemory(Key key) {
            return OVERHEAD_BYTES + key.length();
        }

        @Override
        public int compare(Key one, Key other) {
            return one.compareTo(other);
        }

        @Override
        public Key[] createStorage(int size) {
            return new Key[size];
        }

        @Override
        void encode(WriteBuffer buffer, Key key) {
            buffer.putShort((short) key.length()).put(key.unsafeBytes());
        }

        @Override
        Key decode(ByteBuffer buffer) {
            return decodeKey(buffer);
        }
    }

    private static Key decodeKey(ByteBuffer buffer) {
        if (buffer.remaining() < Short.BYTES) {
            throw corrupt("a key is cut off");
        }
        int length = Short.toUnsignedInt(buffer.getShort());
        if (length < Key.MIN_LENGTH || length > Key.MAX_LENGTH || length > buffer.remaining()) {
            throw corrupt("a key claims " + length + " bytes where " + buffer.remaining() + " are");
        }
        int start = buffer.arrayOffset() + buffer.position();
        buffer.position(buffer.position() + length);
        return Key.copyOfRange(buffer.array(), start, start + length);
    }

    /** Values and tombstones with their versions. */
    static final class Values extends Checked<MapValue> {

        private static final int FIXED_BYTES = 1 + Long.BYTES + Long.BYTES + Integer.BYTES;

        @Override
        public int getMemory(MapValue stored) {
            return MapValue.OVERHEAD_BYTES + stored.value().length;
        }

        @Override
        public MapValue[] createStorage(int size) {
            return new MapValue[size];
        }

        @Override
        void encode(WriteBuffer buffer, MapValue stored) {
            if (stored.isFragmented()) {
                buffer.put(FRAGMENTED)
                        .putLong(stored.version())
                        .putLong(stored.expiresAtMillis())
                        .putInt(stored.length())
                        .putInt(stored.digest());
                return;
            }
            buffer.put(stored.isTombstone() ? TOMBSTONE : PLAIN)
                    .putLong(stored.version())
                    .putLong(stored.expiresAtMillis())
                    .putInt(stored.value().length)
                    .put(stored.value());
        }

        @Override
        MapValue decode(ByteBuffer buffer) {
            if (buffer.remaining() < FIXED_BYTES) {
                throw corrupt("a value is cut off");
            }
            byte kind = buffer.get();
            long version = buffer.getLong();
            long expiresAtMillis = buffer.getLong();
            if (kind == FRAGMENTED) {
                return fragmented(buffer, version, expiresAtMillis);
            }
            byte[] value = take(buffer, buffer.getInt());
            if (kind == TOMBSTONE && value.length == 0 && expiresAtMillis == Entry.NEVER) {
                return new MapValue(version, true, Entry.NEVER, value);
            }
            if (kind != PLAIN || expiresAtMillis < 0) {
                throw corrupt("a value of kind " + kind + " with expiry " + expiresAtMillis);
            }
            return new MapValue(version, false, expiresAtMillis, value);
        }

        private static MapValue fragmented(ByteBuffer buffer, long version, long expiresAtMillis) {
            if (buffer.remaining() < 2 * Integer.BYTES) {
                throw corrupt("a value is cut off");
            }
            int length = buffer.getInt();
            if (length <= LargeValues.FRAGMENT_BYTES || expiresAtMillis < 0) {
                throw corrupt("a fragmented value of length " + length + " with expiry " + expiresAtMillis);
            }
            return new MapValue(version, expiresAtMillis, length, buffer.getInt());
        }
    }

    /** The keys of fragments of large values. */
    static final class FragmentKeys extends Checked<FragmentKey> {

        private static final int OVERHEAD_BYTES = 80;
        private static final int FIXED_BYTES = Long.BYTES + Integer.BYTES + Integer.BYTES;

        @Override
        public int getMemory(FragmentKey key) {
            return OVERHEAD_BYTES + key.key().length();
        }

        @Override
        public int compare(FragmentKey one, FragmentKey other) {
            return one.compareTo(other);
        }

        @Override
        public FragmentKey[] createStorage(int size) {
            return new FragmentKey[size];
        }

        @Override
        void encode(WriteBuffer buffer, FragmentKey key) {
            buffer.putShort((short) key.key().length())
                    .put(key.key().unsafeBytes())
                    .putLong(key.version())
                    .putInt(key.digest())
                    .putInt(key.index());
        }

        @Override
        FragmentKey decode(ByteBuffer buffer) {
            Key key = decodeKey(buffer);
            if (buffer.remaining() < FIXED_BYTES) {
                throw corrupt("the key of a fragment is cut off");
            }
            return new FragmentKey(key, buffer.getLong(), buffer.getInt(), buffer.getInt());
        }
    }

    /** The fragments of large values. */
    static final class FragmentBytes extends Checked<byte[]> {

        private static final int OVERHEAD_BYTES = 24;

        @Override
        public int getMemory(byte[] fragment) {
            return OVERHEAD_BYTES + fragment.length;
        }

        @Override
        public byte[][] createStorage(int size) {
            return new byte[size][];
        }

        @Override
        void encode(WriteBuffer buffer, byte[] fragment) {
            buffer.putInt(fragment.length).put(fragment);
        }

        @Override
        byte[] decode(ByteBuffer buffer) {
            if (buffer.remaining() < Integer.BYTES) {
                throw corrupt("a fragment is cut off");
            }
            return take(buffer, buffer.getInt());
        }
    }
}
