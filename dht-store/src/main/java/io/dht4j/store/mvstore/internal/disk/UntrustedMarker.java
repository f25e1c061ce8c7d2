package io.dht4j.store.mvstore.internal.disk;

import io.dht4j.spi.FileFailure;
import io.dht4j.spi.StoreException;
import io.dht4j.store.disk.AtomicFile;
import io.dht4j.store.disk.FsyncFailedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Marks a map that is not trusted, because an fsync of its file has failed. A store with the marker cannot be opened.
 * Safe for use by any number of threads.
 */
public final class UntrustedMarker {

    /** The name of the marker's file. */
    public static final String FILE = "UNTRUSTED";

    private static final Logger LOG = LoggerFactory.getLogger(UntrustedMarker.class);

    private final StoreDirectory directory;

    // Allocated in advance: there may be no memory when the marker is needed.
    private final String remedy;
    private final String text;
    private final String unwritten;
    private final byte[] content;

    private volatile boolean isSet;

    UntrustedMarker(StoreDirectory directory) {
        this.directory = directory;
        this.remedy = ": what the disk holds of the last changes is unknown. Replace the disk if it"
                + " fails again. Then " + Health.REFILL + "; where there are no other replicas, delete "
                + directory.path().resolve(FILE)
                + " and start: what was written shortly before may be lost (docs/design/damage.md)";
        this.text = directory.dataFile() + " could not be forced to the disk" + remedy;
        this.unwritten =
                text + "; there is no memory to record that: do not start this node again without Rebuild.begin";
        this.content = (text + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Writes the marker, if such a disk can be written.
     *
     * @param failure of the fsync
     * @return a message for users
     * @throws OutOfMemoryError if there is no memory to write it; the caller repeats the call
     */
    public String set(Throwable failure) {
        write();
        @Nullable IOException known = Health.ioFailure(failure);
        return (known instanceof FsyncFailedException
                        ? known.getMessage()
                        : directory.dataFile() + " could not be forced to the disk (" + FileFailure.inWords(failure)
                                + ")")
                + remedy;
    }

    /**
     * Writes the marker, and repeats that for some seconds while there is no memory for it.
     *
     * @param failure of the fsync
     * @return a message for users
     */
    public String setWithRetry(Throwable failure) {
        if (!OutOfMemoryRetry.run(this::write)) {
            return unwritten;
        }
        try {
            return set(failure);
        } catch (Error e) {
            return text;
        }
    }

    /**
     * Returns whether this process has written the marker.
     *
     * @return true if so
     */
    public boolean isSet() {
        return isSet;
    }

    private synchronized void write() {
        if (isSet) {
            return;
        }
        try {
            AtomicFile.write(directory.disk(), directory.path(), FILE, content);
        } catch (IOException e) {
            LOG.error(
                    "{} cannot be written either ({}): do not start this node again without Rebuild.begin",
                    FILE,
                    FileFailure.inWords(e));
        }
        isSet = true;
    }

    /**
     * Refuses a store with the marker.
     *
     * @throws StoreException if the marker exists; the message is the marker's text
     * @throws IOException if it cannot be read
     */
    public void requireAbsent() throws IOException {
        Path file = directory.path().resolve(FILE);
        if (Files.exists(file)) {
            throw new StoreException(
                    file + " says: " + new String(Files.readAllBytes(file), StandardCharsets.UTF_8).strip());
        }
    }
}
