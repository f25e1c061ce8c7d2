package io.dht4j;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Objects;
import java.util.Optional;

/**
 * A key of {@value #MIN_LENGTH} to {@value #MAX_LENGTH} bytes, ordered as unsigned bytes. Immutable and safe to share
 * between threads.
 */
public final class Key implements Comparable<Key> {

    /** The smallest number of bytes of a key. */
    public static final int MIN_LENGTH = 1;

    /** The largest number of bytes of a key. */
    public static final int MAX_LENGTH = 4096;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final byte[] bytes;
    private final int hash;

    /** The first bytes. Most comparisons end here and spare ordered maps the access to each key's array. */
    private final long prefix;

    private Key(byte[] bytes) {
        if (bytes.length < MIN_LENGTH || bytes.length > MAX_LENGTH) {
            throw new InvalidRequestException(
                    ErrorCode.KEY_INVALID,
                    "a key has " + MIN_LENGTH + " to " + MAX_LENGTH + " bytes, this one has " + bytes.length,
                    true);
        }
        this.bytes = bytes;
        this.hash = Arrays.hashCode(bytes);
        this.prefix = prefix(bytes);
    }

    private static long prefix(byte[] bytes) {
        if (bytes.length >= Long.BYTES) {
            return (long) LONG.get(bytes, 0);
        }
        long prefix = 0;
        for (int i = 0; i < bytes.length; i++) {
            prefix |= (bytes[i] & 0xFFL) << (Long.SIZE - Byte.SIZE * (i + 1));
        }
        return prefix;
    }

    /**
     * Returns the key of a string's UTF-8 bytes.
     *
     * @param text any text without unpaired surrogates whose UTF-8 form has 1 to 4096 bytes
     * @return the key
     * @throws InvalidRequestException if the text is empty, too long, or has an unpaired surrogate
     */
    public static Key of(String text) {
        byte[] bytes = Objects.requireNonNull(text, "text").getBytes(StandardCharsets.UTF_8);
        // An unencodable character becomes a question mark. An encoder would report it directly, but is many times
        // slower.
        if (hasQuestionMark(bytes) && !StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new InvalidRequestException(
                    ErrorCode.KEY_INVALID,
                    "a key's text must be encodable as UTF-8; this one has an unpaired surrogate",
                    true);
        }
        return new Key(bytes);
    }

    private static boolean hasQuestionMark(byte[] bytes) {
        for (byte each : bytes) {
            if (each == '?') {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns a key with a copy of the bytes.
     *
     * @param bytes 1 to 4096 bytes
     * @return the key
     * @throws InvalidRequestException if there are fewer or more bytes
     */
    public static Key of(byte[] bytes) {
        return new Key(Objects.requireNonNull(bytes, "bytes").clone());
    }

    /**
     * Returns a key with a copy of a part of an array.
     *
     * @param source the array that contains the bytes
     * @param from index of the first byte
     * @param to index after the last byte
     * @return the key
     * @throws InvalidRequestException if the part has fewer than 1 or more than 4096 bytes
     * @throws IndexOutOfBoundsException if the part is not inside the array
     */
    public static Key copyOfRange(byte[] source, int from, int to) {
        Objects.checkFromToIndex(from, to, Objects.requireNonNull(source, "source").length);
        return new Key(Arrays.copyOfRange(source, from, to));
    }

    /**
     * Returns the number of bytes.
     *
     * @return 1 to 4096
     */
    public int length() {
        return bytes.length;
    }

    /**
     * Returns a copy of the bytes.
     *
     * @return a new array
     */
    public byte[] toByteArray() {
        return bytes.clone();
    }

    /**
     * Returns the array behind this key without a copy, for frequent hashing, encoding and comparing. Callers must not
     * change the array.
     *
     * @return the array behind this key
     */
    public byte[] unsafeBytes() {
        return bytes;
    }

    /**
     * Returns the first eight bytes, for code that orders many keys and compares prefixes first. If two prefixes differ
     * as unsigned numbers, the keys have the same order. If they are equal, the remaining bytes decide.
     *
     * @return the bytes, the first one highest; a shorter key is padded with zeros
     */
    public long prefix() {
        return prefix;
    }

    /**
     * Returns whether the bytes are well-formed UTF-8, so that {@link #toString()} shows the original text.
     *
     * @return true if they are
     */
    public boolean isText() {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    /**
     * Returns the smallest key that is greater than this one: the same bytes followed by a zero.
     *
     * @return the successor; for a key of 4096 bytes, the next greater key of at most 4096 bytes, or empty when every
     *     byte is {@code 0xFF}
     */
    public Optional<Key> successor() {
        if (bytes.length < MAX_LENGTH) {
            return Optional.of(new Key(Arrays.copyOf(bytes, bytes.length + 1)));
        }
        int last = bytes.length - 1;
        while (last >= 0 && bytes[last] == (byte) 0xFF) {
            last--;
        }
        if (last < 0) {
            return Optional.empty();
        }
        byte[] next = Arrays.copyOf(bytes, last + 1);
        next[last]++;
        return Optional.of(new Key(next));
    }

    @Override
    public int compareTo(Key other) {
        // Equal prefixes may contain the padding of a shorter key.
        return prefix != other.prefix
                ? Long.compareUnsigned(prefix, other.prefix)
                : Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return this == other || (other instanceof Key key && hash == key.hash && Arrays.equals(bytes, key.bytes));
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /**
     * Returns the text if the bytes are UTF-8; otherwise {@code base64:} and the bytes in Base64. For people, not
     * programs.
     */
    @Override
    public String toString() {
        return isText()
                ? new String(bytes, StandardCharsets.UTF_8)
                : "base64:" + Base64.getEncoder().encodeToString(bytes);
    }
}
