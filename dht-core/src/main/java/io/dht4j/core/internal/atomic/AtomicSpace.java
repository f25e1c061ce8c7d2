package io.dht4j.core.internal.atomic;

import io.dht4j.AtomicMap;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The key space of registers: a zero byte, {@code atomic/}, the length of the map's name in one byte, the name, the key
 * in the map. The prefix is so long that random binary keys do not meet it. Plain writes into the space are refused, so
 * an entry in it changes only by agreement of a majority.
 */
public final class AtomicSpace {

    /** The largest number of bytes of a map's name in UTF-8. */
    public static final int MAX_NAME_BYTES = 255;

    private static final long PREFIX = AtomicMap.KEYS.start().prefix();

    private static final int NAME_AT = Long.BYTES + 1;

    private AtomicSpace() {}

    /**
     * Returns whether a key is one of a register.
     *
     * @param key any key
     */
    public static boolean contains(Key key) {
        return key.prefix() == PREFIX;
    }

    /**
     * Returns why a plain write of a key is refused.
     *
     * @param key the key of a register
     */
    public static String refusal(Key key) {
        return "key " + key + " begins with \\0atomic/, as those of atomic operations do: plain writes need another"
                + " key";
    }

    private static boolean isEncodable(String map, byte[] name) {
        for (byte each : name) {
            if (each == '?') {
                return StandardCharsets.UTF_8.newEncoder().canEncode(map);
            }
        }
        return true;
    }

    /**
     * Returns a key of a register as its caller knows it.
     *
     * @param key the key of a register
     */
    public static String shown(Key key) {
        byte[] bytes = key.unsafeBytes();
        int at = NAME_AT + Byte.toUnsignedInt(bytes[Long.BYTES]);
        return Key.copyOfRange(bytes, at, bytes.length) + " of map "
                + new String(bytes, NAME_AT, at - NAME_AT, StandardCharsets.UTF_8);
    }

    /**
     * Returns the key of a register.
     *
     * @param map the name of the map, 1 to {@value #MAX_NAME_BYTES} bytes in UTF-8
     * @param key the key in the map
     * @throws InvalidRequestException if the name has another length, or both together are longer than a key may be
     */
    public static Key key(String map, Key key) {
        byte[] name = map.getBytes(StandardCharsets.UTF_8);
        if (name.length < 1 || name.length > MAX_NAME_BYTES) {
            throw new InvalidRequestException(
                    ErrorCode.BAD_REQUEST,
                    "the name of a map has 1 to " + MAX_NAME_BYTES + " bytes in UTF-8, not " + name.length);
        }
        // An unencodable character becomes a question mark.
        if (!isEncodable(map, name)) {
            throw new InvalidRequestException(
                    ErrorCode.BAD_REQUEST,
                    "the name of a map must be encodable as UTF-8; this one has an unpaired surrogate");
        }
        int room = Key.MAX_LENGTH - NAME_AT - name.length;
        if (key.length() > room) {
            throw new InvalidRequestException(
                    ErrorCode.KEY_INVALID,
                    "a key of map " + map + " has at most " + room + " bytes, this one has " + key.length());
        }
        return Key.of(ByteBuffer.allocate(NAME_AT + name.length + key.length())
                .putLong(PREFIX)
                .put((byte) name.length)
                .put(name)
                .put(key.unsafeBytes())
                .array());
    }
}
