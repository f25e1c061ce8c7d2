package io.dht4j.server.client;

import io.dht4j.spi.TextFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/**
 * Splits bytes into lines at {@code \n}. The bytes after the last one are a line too, if there are any. A byte order
 * mark of UTF-8 at the beginning is not part of the first line. For one thread.
 */
public final class LineReader {

    private static final int LONGEST_OF_ALL = 256 << 20;

    /** The longest line: larger than a value of 128 MiB in Base64, but at most an eighth of the heap. */
    public static final int MAX_LINE =
            (int) Math.min(LONGEST_OF_ALL, Runtime.getRuntime().maxMemory() / 8);

    private final InputStream in;
    private final int maxLine;
    private final byte[] buffer = new byte[64 << 10];
    private int position;
    private int limit;
    private long lines;
    private long bytes;

    /**
     * Creates a reader with the usual limit.
     *
     * @param in where to read; not closed
     */
    public LineReader(InputStream in) {
        this(in, MAX_LINE);
    }

    /**
     * Creates a reader with a limit of its own.
     *
     * @param in where to read; not closed
     * @param maxLine the longest line in bytes, 0 or more
     */
    public LineReader(InputStream in, int maxLine) {
        this.in = in;
        this.maxLine = maxLine;
    }

    /**
     * Reads a line. Blocks.
     *
     * @return the line without its end, or empty at the end of the input
     * @throws IOException if reading fails, or the input is UTF-16
     * @throws ClientException if the line is too long
     */
    public Optional<byte[]> next() throws IOException, ClientException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(128);
        boolean found = false;
        while (true) {
            if (position == limit) {
                limit = Math.max(0, in.read(buffer));
                position = 0;
                if (limit == 0) {
                    if (!found) {
                        return Optional.empty();
                    }
                    break;
                }
            }
            if (!found) {
                found = true;
                lines++;
            }
            int end = position;
            while (end < limit && buffer[end] != '\n') {
                end++;
            }
            append(line, end - position);
            bytes += end - position;
            position = end;
            if (end < limit) {
                position++;
                bytes++;
                break;
            }
        }
        byte[] read = line.toByteArray();
        return Optional.of(lines == 1 ? TextFiles.withoutMark(read) : read);
    }

    private void append(ByteArrayOutputStream line, int more) throws ClientException {
        if (line.size() + (long) more > maxLine) {
            String heap = maxLine == MAX_LINE && maxLine < LONGEST_OF_ALL
                    ? ", the most with this heap; DHT_JAVA_OPTS=-Xmx4g gives a larger one"
                    : "";
            throw new ClientException("line " + lines + " is longer than " + maxLine + " bytes" + heap);
        }
        line.write(buffer, position, more);
    }

    /**
     * Returns the number of the last line that was read, counted from 1.
     *
     * @return 0 before the first line
     */
    public long lineNumber() {
        return lines;
    }

    /**
     * Returns how many bytes the lines so far took, with their ends.
     *
     * @return 0 or more
     */
    public long bytesRead() {
        return bytes;
    }
}
