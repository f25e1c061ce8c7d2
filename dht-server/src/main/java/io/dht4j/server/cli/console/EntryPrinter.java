package io.dht4j.server.cli.console;

import io.dht4j.PrintableText;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.ItemFormat;
import io.dht4j.server.client.LineReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.LongConsumer;

/** Writes a scan's entries in the requested format. */
public final class EntryPrinter {

    private EntryPrinter() {}

    /**
     * Copies entries. Blocks.
     *
     * @param scan lines as the node sends them
     * @param format how to write them
     * @param out the destination
     * @param forTerminal whether a terminal shows it: then control characters are escaped, which keeps JSON valid;
     *     other output can be loaded again
     * @param progress receives the number of entries so far
     * @return how many entries there were
     * @throws IOException if reading or writing fails
     * @throws ClientException if the node sends other data than entries
     */
    public static long copy(
            InputStream scan, ItemFormat format, OutputStream out, boolean forTerminal, LongConsumer progress)
            throws IOException, ClientException {
        LineReader lines = new LineReader(scan);
        long entries = 0;
        Optional<byte[]> line = lines.next();
        while (line.isPresent()) {
            byte[] bytes = line.get();
            try {
                // Parsed in every case, so that the output can be loaded again.
                byte[] formatted = format.format(ItemFormat.NDJSON.parse(bytes));
                if (format == ItemFormat.NDJSON) {
                    formatted = Arrays.copyOf(
                            bytes, bytes.length + 1); // The node's own line has more fields, such as the version.
                    formatted[bytes.length] = '\n';
                }
                out.write(forTerminal ? printable(formatted) : formatted);
            } catch (ClientException e) {
                throw new ClientException(
                        "the node sent an unreadable entry, number " + (entries + 1) + ": " + e.getMessage());
            }
            progress.accept(++entries);
            line = lines.next();
        }
        out.flush();
        return entries;
    }

    private static byte[] printable(byte[] line) {
        return PrintableText.lines(new String(line, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
    }
}
