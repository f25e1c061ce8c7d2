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
 * order mark of UTF-8, which is no part of its text, or save it as UTF-16, which is refused by name.
 */
public final class TextFiles {

    private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
    private static final byte[] BIG_ENDIAN = {(byte) 0xFE, (byte) 0xFF};
    private static final byte[] LITTLE_ENDIAN = {(byte) 0xFF, (byte) 0xFE};

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
        String text = StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(withoutMark(content)))
                .toString();
        if (text.indexOf('\0') >= 0) {
            throw new IOException("it has NUL characters, as UTF-16 without a byte order mark: save it as UTF-8");
        }
        return text;
    }

    /**
     * Removes the byte order mark of UTF-8. Does not block.
     *
     * @param content the beginning of a file, or all of it
     * @return the same array if it has no mark
     * @throws IOException if the file has the mark of UTF-16
     */
    public static byte[] withoutMark(byte[] content) throws IOException {
        if (begins(content, BIG_ENDIAN) || begins(content, LITTLE_ENDIAN)) {
            throw new IOException("its text is UTF-16: save it as UTF-8");
        }
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
     */
    public static int beginOfText(byte[] bytes, int from, int to) {
        int end = from + MARK.length;
        return end <= to && Arrays.equals(bytes, from, end, MARK, 0, MARK.length) ? end : from;
    }

    private static boolean begins(byte[] content, byte[] mark) {
        return content.length >= mark.length && Arrays.equals(content, 0, mark.length, mark, 0, mark.length);
    }
}
