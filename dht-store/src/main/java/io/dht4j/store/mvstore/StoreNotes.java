package io.dht4j.store.mvstore;

import io.dht4j.spi.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one process notes for the next one: where the log ended, and whether the map may be believed. */
final class StoreNotes {

    static final String END_FILE = "CLOSED";
    static final String DOUBT_FILE = "UNTRUSTED";

    private static final Logger LOG = LoggerFactory.getLogger(StoreNotes.class);
    private static final Pattern END = Pattern.compile("segment (\\d{1,18}) length (\\d{1,18})\\s*");

    private final StoreDirectory directory;

    StoreNotes(StoreDirectory directory) {
        this.directory = directory;
    }

    /** Notes where the log ends, so that it is noticed if it is shorter when the store is opened again. */
    void keepEnd(long segment, long length) {
        try {
            String end = "segment " + segment + " length " + length + "\n";
            directory.files().check();
            AtomicFile.write(directory.disk(), directory.path(), END_FILE, StandardCharsets.ISO_8859_1.encode(end));
        } catch (IOException e) {
            LOG.warn("{} does not keep where the log ends ({})", directory.path(), e.toString());
        }
    }

    /**
     * Throws if the log does not reach as far as it did when the store was closed. Segments up to one are not needed
     * any more.
     *
     * @return the last segment if the store was closed in order, else 0. A later one has been begun since, and nothing
     *     was written to it
     */
    long checkEnd(long lastMerged) throws IOException {
        Path file = directory.path().resolve(END_FILE);
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
            throw Health.damaged(log, "this segment of the log is missing");
        }
        if (Files.size(log) < length) {
            throw Health.damaged(
                    log,
                    "damaged at offset " + Files.size(log) + ": it had " + length + " bytes when the store was closed");
        }
        return segment;
    }

    /** The log goes on from here. */
    void forgetEnd() throws IOException {
        if (directory.disk().delete(directory.path().resolve(END_FILE))) {
            directory.sync();
        }
    }

    /** Notes that the map must not be believed any more, as well as that can be done on such a disk. */
    String distrust(Throwable doubt) {
        Path file = directory.path().resolve(DOUBT_FILE);
        @Nullable IOException known = Health.ioFailure(doubt);
        String what = (known instanceof ForceFailedException
                        ? known.getMessage()
                        : directory.dataFile() + " could not be forced to the disk (" + doubt + ")")
                + ": what the disk holds of the last changes is unknown. Replace the disk if it"
                + " fails again. Then start the server with --rebuild, which gets the entries back from the "
                + "other replicas;"
                + " where there are none, delete " + file + " and start: what was written shortly before may be lost"
                + " (docs/design/damage.md)";
        try {
            AtomicFile.write(
                    directory.disk(), directory.path(), DOUBT_FILE, StandardCharsets.UTF_8.encode(what + "\n"));
        } catch (IOException e) {
            LOG.error(
                    "{} cannot be written either ({}): do not start this node again without --rebuild",
                    file,
                    e.toString());
        }
        return what;
    }

    /** Throws if the map must not be believed. */
    void checkTrusted() throws IOException {
        Path file = directory.path().resolve(DOUBT_FILE);
        if (Files.exists(file)) {
            throw new StoreException(
                    file + " says: " + new String(Files.readAllBytes(file), StandardCharsets.UTF_8).strip());
        }
    }
}
