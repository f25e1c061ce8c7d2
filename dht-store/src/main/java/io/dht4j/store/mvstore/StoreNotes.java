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

    // Made beforehand, for when there is no memory to say anything.
    private final String remedy;
    private final String text;
    private final String notNoted;
    private final byte[] doubtBytes;

    private volatile boolean distrusted;

    StoreNotes(StoreDirectory directory) {
        this.directory = directory;
        this.remedy = ": what the disk holds of the last changes is unknown. Replace the disk if it"
                + " fails again. Then start the server with --rebuild, which gets the entries back from the "
                + "other replicas; where there are none, delete "
                + directory.path().resolve(DOUBT_FILE)
                + " and start: what was written shortly before may be lost (docs/design/damage.md)";
        this.text = directory.dataFile() + " could not be forced to the disk" + remedy;
        this.notNoted = text + "; there is no memory to note that: do not start this node again without --rebuild";
        this.doubtBytes = (text + "\n").getBytes(StandardCharsets.UTF_8);
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

    /**
     * Notes that the map must not be believed any more, as well as that can be done on such a disk. The note is made up
     * beforehand, since there may be no memory left for it: then this ends with an {@link OutOfMemoryError}, and is to
     * be called again.
     *
     * @return what to say of it
     */
    String distrust(Throwable doubt) {
        writeDoubt();
        @Nullable IOException known = Health.ioFailure(doubt);
        return (known instanceof ForceFailedException
                        ? known.getMessage()
                        : directory.dataFile() + " could not be forced to the disk (" + doubt + ")")
                + remedy;
    }

    /**
     * As {@link #distrust}, tried again for some seconds where there is no memory for it.
     *
     * @return what to say of it
     */
    String distrustForSure(Throwable doubt) {
        if (!MemoryWait.run(this::writeDoubt)) {
            return notNoted;
        }
        try {
            return distrust(doubt);
        } catch (Error e) {
            return text;
        }
    }

    /** Whether it is noted, by this process, that the map must not be believed. */
    boolean isDistrusted() {
        return distrusted;
    }

    private synchronized void writeDoubt() {
        if (distrusted) {
            return;
        }
        try {
            AtomicFile.write(directory.disk(), directory.path(), DOUBT_FILE, doubtBytes);
        } catch (IOException e) {
            LOG.error(
                    "{} cannot be written either ({}): do not start this node again without --rebuild",
                    DOUBT_FILE,
                    e.toString());
        }
        distrusted = true;
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
