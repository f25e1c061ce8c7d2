package io.dht4j.store.mvstore.internal.disk;

import io.dht4j.spi.FileFailure;
import io.dht4j.store.disk.AtomicFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The record of a clean shutdown: where the log ended when the store was closed. The next start finds out whether the
 * log is shorter than that. For one thread at a time.
 */
public final class CleanShutdown {

    static final String FILE = "CLOSED";

    private static final Logger LOG = LoggerFactory.getLogger(CleanShutdown.class);
    private static final Pattern END = Pattern.compile("segment (\\d{1,18}) length (\\d{1,18})\\s*");

    private final StoreDirectory directory;

    CleanShutdown(StoreDirectory directory) {
        this.directory = directory;
    }

    /**
     * Records where the log ends. A failure is logged: without the record the next start takes the shutdown for an
     * unclean one.
     *
     * @param segment the last segment
     * @param length its length in bytes
     */
    public void record(long segment, long length) {
        try {
            String end = "segment " + segment + " length " + length + "\n";
            directory.files().check();
            AtomicFile.write(directory.disk(), directory.path(), FILE, StandardCharsets.ISO_8859_1.encode(end));
        } catch (IOException e) {
            LOG.warn("{}: the end of the log cannot be recorded ({})", directory.path(), FileFailure.inWords(e));
        }
    }

    /**
     * Checks that the log is as long as at the last clean shutdown.
     *
     * @param lastMerged the last segment that the map contains as a whole
     * @return the last segment at the shutdown; 0 if the store was not shut down cleanly. A later segment was begun
     *     since then, and is empty
     * @throws io.dht4j.spi.StoreException if the log is shorter, or the record is damaged
     * @throws IOException if a file cannot be read
     */
    public long check(long lastMerged) throws IOException {
        Path file = directory.path().resolve(FILE);
        if (!Files.exists(file)) {
            return 0;
        }
        Matcher end = END.matcher(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
        if (!end.matches()) {
            throw Health.damaged(file, "does not say where the log ends");
        }
        long segment = Long.parseLong(end.group(1));
        long length = Long.parseLong(end.group(2));
        if (segment <= lastMerged) {
            return segment;
        }
        Path log = directory.segmentFile(segment);
        if (!Files.exists(log)) {
            throw Health.damaged(log, "is missing, a segment of the log");
        }
        if (Files.size(log) < length) {
            throw Health.damaged(
                    log,
                    "is damaged at offset " + Files.size(log) + ": it had " + length
                            + " bytes when the store was closed");
        }
        return segment;
    }

    /**
     * Deletes the record, because the log continues.
     *
     * @throws IOException if it cannot be deleted
     */
    public void delete() throws IOException {
        if (directory.disk().delete(directory.path().resolve(FILE))) {
            directory.sync();
        }
    }
}
