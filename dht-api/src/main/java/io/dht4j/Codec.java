package io.dht4j;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.Function;

/**
 * Converts between objects and bytes. Safe for use by any number of threads; does not block.
 *
 * @param <T> the objects
 */
public interface Codec<T> {

    /**
     * Returns the bytes of an object.
     *
     * @param value an object
     * @return its bytes, which the caller may keep and change
     * @throws IllegalArgumentException if the object has no bytes in this codec; the message says why
     */
    byte[] encode(T value);

    /**
     * Returns the object of some bytes.
     *
     * @param bytes the bytes, which the codec may keep but not change
     * @return the object
     * @throws IllegalArgumentException if no object has these bytes; the message says why
     */
    T decode(byte[] bytes);

    /**
     * Returns the name of this codec.
     *
     * @return equal for codecs that read each other's bytes, for example {@code text}
     */
    String name();

    /**
     * Returns the codec of text in UTF-8. Text with an unpaired surrogate, and bytes that are not UTF-8, are refused.
     *
     * @return the codec {@code text}
     */
    static Codec<String> text() {
        return of("text", Codec::utf8, Codec::text);
    }

    /**
     * Returns the codec of bytes that are what they are.
     *
     * @return the codec {@code bytes}
     */
    static Codec<byte[]> bytes() {
        return of("bytes", byte[]::clone, byte[]::clone);
    }

    /**
     * Returns a codec of two functions.
     *
     * @param name its name
     * @param encode returns the bytes of an object
     * @param decode returns the object of some bytes
     * @param <T> the objects
     * @return the codec
     */
    static <T> Codec<T> of(String name, Function<? super T, byte[]> encode, Function<byte[], ? extends T> decode) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(encode, "encode");
        Objects.requireNonNull(decode, "decode");
        return new Codec<>() {
            @Override
            public byte[] encode(T value) {
                return encode.apply(value);
            }

            @Override
            public T decode(byte[] bytes) {
                return decode.apply(bytes);
            }

            @Override
            public String name() {
                return name;
            }

            @Override
            public String toString() {
                return "codec " + name;
            }
        };
    }

    private static byte[] utf8(String text) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("the text has an unpaired surrogate", e);
        }
    }

    private static String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("the bytes are not UTF-8", e);
        }
    }
}
