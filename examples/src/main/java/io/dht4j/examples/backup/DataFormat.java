package io.dht4j.examples.backup;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.examples.client.ClientException;
import io.dht4j.examples.client.Item;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.zip.CRC32C;

/**
 * A data file: a header (magic, format version, the file's number, the cut, CRC32C of these) and records. A record is the length of
 * its body, CRC32C of that length and the body, and the body: version, expiry (0 for never), length of the key, key, value. Numbers are big-endian.
 */
final class DataFormat {

    static final int HEADER_BYTES = 8 + 4 + 4 + 8 + 4;
    static final int RECORD_HEADER_BYTES = 4 + 4;
    private static final int BODY_FIXED_BYTES = 8 + 8 + 2;
    private static final byte[] MAGIC = "DHT4JSNP".getBytes(StandardCharsets.US_ASCII);

    private DataFormat() {}

    /** The name of the file with a number, counted from 1. */
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

    /** How many bytes the record of an entry takes. */
    static int recordBytes(Item item) {
        return RECORD_HEADER_BYTES + BODY_FIXED_BYTES + item.key().length() + item.value().length;
    }

    /** An entry with its version. */
    static ByteBuffer record(Item item, Version version) {
        int body = recordBytes(item) - RECORD_HEADER_BYTES;
        ByteBuffer bytes = ByteBuffer.allocate(RECORD_HEADER_BYTES + body)
                .putInt(body)
                .putInt(0)
                .putLong(version.packed())
                .putLong(item.expiresAtMillis().orElse(0))
                .putShort((short) item.key().length())
                .put(item.key().unsafeBytes())
                .put(item.value());
        return bytes.putInt(4, recordCrc(bytes.array(), body)).flip();
    }

    /** Of a record's length and body, which stand around the checksum. */
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

    /** Whether a body may have this length, with so many bytes left in the file. */
    static boolean isBodyLength(int length, long left) {
        return length > BODY_FIXED_BYTES && length <= left;
    }

    /** Reads the body of a record whose checksum was right. */
    static Item item(byte[] record) throws ClientException {
        ByteBuffer body = ByteBuffer.wrap(record).position(RECORD_HEADER_BYTES);
        Version version = new Version(body.getLong());
        long expiry = body.getLong();
        int keyLength = Short.toUnsignedInt(body.getShort());
        if (expiry < 0 || keyLength < Key.MIN_LENGTH || keyLength > Key.MAX_LENGTH || keyLength > body.remaining()) {
            throw new ClientException("key length " + keyLength + ", expiry " + expiry);
        }
        int start = body.position();
        Key key = Key.copyOfRange(record, start, start + keyLength);
        byte[] value = new byte[body.remaining() - keyLength];
        body.position(start + keyLength).get(value);
        return new Item(key, value, expiry == 0 ? OptionalLong.empty() : OptionalLong.of(expiry), Optional.of(version));
    }
}
