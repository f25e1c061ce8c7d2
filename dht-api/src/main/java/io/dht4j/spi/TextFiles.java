package io.dht4j.spi;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Reads text files that people write: configuration, tokens, certificates. Some editors begin a file with the byte
 * order mark of UTF-8, which is no part of its text, or save it as UTF-16, which is refused by name. UTF-16 without a
 * mark is recognized by a first line of ASCII or Latin-1: every second byte is NUL.
 */
public final class TextFiles {

    private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
    private static final byte[] BIG_ENDIAN = {(byte) 0xFE, (byte) 0xFF};
    private static final byte[] LITTLE_ENDIAN = {(byte) 0xFF, (byte) 0xFE};

    /** Two characters of UTF-16. */
    private static final int LEAST_BYTES = 4;

    private TextFiles() {}

    /**
     * Reads a file of UTF-8. Blocks.
     *
     * @param file the file
     * @param most the largest number of its bytes, 1 or more
     * @return its text without a byte order mark
     * @throws IOException if the file cannot be read, is larger, has NUL characters or is no UTF-8;
     *     {@link FileFailure#inWords} describes it
     */
    public static String read(Path file, int most) throws IOException {
        byte[] content;
        try (InputStream in = Files.newInputStream(file)) {
            content = in.readNBytes(most + 1);
        }
        if (content.length > most) {
            throw new IOException("it has more than " + most + " bytes");
        }
        byte[] text = withoutMark(content);
        requireNoNul(text);
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text)).toString();
    }

    /**
     * Refuses NUL characters. Does not block.
     *
     * @param text UTF-8
     * @throws IOException if it has some, as UTF-16 without a byte order mark has
     */
    public static void requireNoNul(byte[] text) throws IOException {
        for (byte each : text) {
            if (each == 0) {
                throw new IOException("it has NUL characters, as UTF-16 without a byte order mark: save it as UTF-8");
            }
        }
    }

    /**
     * Removes the byte order mark of UTF-8. Does not block.
     *
     * @param content the beginning of a file, or all of it
     * @return the same array if it has no mark
     * @throws IOException if the text is UTF-16
     */
    public static byte[] withoutMark(byte[] content) throws IOException {
        int begin = beginOfText(content, 0, content.length);
        return begin == 0 ? content : Arrays.copyOfRange(content, begin, content.length);
    }

    /**
     * Returns where the text of a part of an array begins. Does not block.
     *
     * @param bytes the bytes, not changed
     * @param from the first one
     * @param to behind the last one
     * @return {@code from}, or the index behind a byte order mark of UTF-8
     * @throws IOException if the text is UTF-16
     */
    public static int beginOfText(byte[] bytes, int from, int to) throws IOException {
        if (begins(bytes, from, to, BIG_ENDIAN)
                || begins(bytes, from, to, LITTLE_ENDIAN)
                || isUnmarkedUtf16(bytes, from, to)) {
            throw new IOException("its text is UTF-16: save it as UTF-8");
        }
        return begins(bytes, from, to, MARK) ? from + MARK.length : from;
    }

    private static boolean begins(byte[] bytes, int from, int to, byte[] mark) {
        int end = from + mark.length;
        return end <= to && Arrays.equals(bytes, from, end, mark, 0, mark.length);
    }

    /**
     * Returns whether every second byte of the first line is NUL and the others are no control characters. Lines of
     * keys and values with NUL bytes differ: a tabulator of one byte separates them.
     */
    private static boolean isUnmarkedUtf16(byte[] bytes, int from, int to) {
        if (to - from < LEAST_BYTES) {
            return false;
        }
        int nul = bytes[from] == 0 ? 0 : 1;
        for (int i = 0; i < to - from; i++) {
            byte each = bytes[from + i];
            if (i % 2 == nul ? each != 0 : !isText(each)) {
                return false;
            }
            if (each == '\n' && i >= LEAST_BYTES) {
                return true;
            }
        }
        return true;
    }

    private static boolean isText(byte latin1) {
        return latin1 >= ' ' || latin1 < 0 || latin1 == '\t' || latin1 == '\r' || latin1 == '\n';
    }
}
