package io.dht4j.server.backup;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.Item;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.zip.CRC32C;

/**
 * The format of data files: a header and records. The header consists of magic, format version, the file's number, the
 * snapshot's version, and the CRC32C of these. A record consists of the length of its body, the CRC32C of that length
 * and the body, and the body. The body consists of version, expiry (0 for never), length of the key, key, value.
 * Numbers are big-endian.
 */
final class DataFormat {

    static final int HEADER_BYTES = 8 + 4 + 4 + 8 + 4;
    static final int RECORD_HEADER_BYTES = 4 + 4;
    private static final int BODY_FIXED_BYTES = 8 + 8 + 2;
    /** The largest value that a node may be configured for. */
    private static final int LARGEST_VALUE = 512 << 20;

    private static final long MOST_BODY_BYTES = Math.min(
            BODY_FIXED_BYTES + Key.MAX_LENGTH + LARGEST_VALUE,
            Math.max(1 << 20, Runtime.getRuntime().maxMemory() / 4));

    private static final byte[] MAGIC = "DHT4JSNP".getBytes(StandardCharsets.US_ASCII);

    private DataFormat() {}

    /** Returns the name of a file by its number, counted from 1. */
    static String name(int number) {
        return "data-%06d.dht".formatted(number);
    }

    static ByteBuffer header(int number, Version cut) {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES)
                .put(MAGIC)
                .putInt(Manifest.FORMAT_VERSION)
                .putInt(number)
                .putLong(cut.packed());
        header.putInt(crc(header.array(), 0, header.position()));
        return header.flip();
    }

    /** Returns the size of an entry's record in bytes. */
    static int recordBytes(Item item) {
        return RECORD_HEADER_BYTES + BODY_FIXED_BYTES + item.key().length() + item.value().length;
    }

    /** Returns the record of an entry with its version. */
    static ByteBuffer record(Item item, Version version) {
        int body = recordBytes(item) - RECORD_HEADER_BYTES;
        ByteBuffer bytes = ByteBuffer.allocate(RECORD_HEADER_BYTES + body)
                .putInt(body)
                .putInt(0)
                .putLong(version.packed())
                .putLong(expiry(item))
                .putShort((short) item.key().length())
                .put(item.key().unsafeBytes())
                .put(item.value());
        return bytes.putInt(4, recordCrc(bytes.array(), body)).flip();
    }

    /** Returns the expiry; 0 means never. An entry that expired in 1970 has also expired a millisecond later. */
    private static long expiry(Item item) {
        return item.expiresAtMillis().isPresent()
                ? Math.max(1, item.expiresAtMillis().getAsLong())
                : 0;
    }

    /** Returns the checksum of a record's length and body, which surround it. */
    static int recordCrc(byte[] record, int body) {
        CRC32C crc = new CRC32C();
        crc.update(record, 0, 4);
        crc.update(record, RECORD_HEADER_BYTES, body);
        return (int) crc.getValue();
    }

    static int crc(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }

    /** Returns the longest body that may have so many bytes: of the largest value, or of a part of a small heap. */
    static long longestBody(long left) {
        return Math.min(left, MOST_BODY_BYTES);
    }

    /** Returns the length of the shortest body, with a key of one byte. */
    static int shortestBody() {
        return BODY_FIXED_BYTES + Key.MIN_LENGTH;
    }

    /** Reads the body of a record whose checksum was right. */
    static Item item(byte[] record) throws ClientException {
        ByteBuffer body = ByteBuffer.wrap(record).position(RECORD_HEADER_BYTES);
        Version version = new Version(body.getLong());
        long expiry = body.getLong();
        int keyLength = Short.toUnsignedInt(body.getShort());
        if (keyLength < Key.MIN_LENGTH || keyLength > Key.MAX_LENGTH || keyLength > body.remaining()) {
            throw new ClientException("its key has length " + keyLength + ", which must be " + Key.MIN_LENGTH + " to "
                    + Math.min(Key.MAX_LENGTH, body.remaining()));
        }
        int start = body.position();
        Key key = Key.copyOfRange(record, start, start + keyLength);
        byte[] value = new byte[body.remaining() - keyLength];
        body.position(start + keyLength).get(value);
        return new Item(key, value, expiry == 0 ? OptionalLong.empty() : OptionalLong.of(expiry), Optional.of(version));
    }
}
