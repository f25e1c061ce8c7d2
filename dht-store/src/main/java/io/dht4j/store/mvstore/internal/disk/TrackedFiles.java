package io.dht4j.store.mvstore.internal.disk;

import io.dht4j.store.disk.FsyncFailedException;
import io.dht4j.store.log.FileIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tracks the files that a store needs at its next start. The path of an open file must lead to that file; the others
 * must exist. The directory itself is not checked: its open files hold it. Safe for use by any number of threads;
 * methods block for a call to the file system for each file.
 */
public final class TrackedFiles {

    private final Map<Path, FileIdentity> files = new ConcurrentHashMap<>();

    /** Adds a file that is open from now on. */
    public void opened(Path file) throws IOException {
        files.put(file, FileIdentity.of(file));
    }

    /** Adds a file that is complete and closed, of this length at least. */
    public void closed(Path file, long bytes) {
        files.put(file, FileIdentity.closed(file, bytes));
    }

    /** Adds a file that is complete and closed, if it exists. */
    public void closedIfThere(Path file) {
        if (Files.exists(file)) {
            closed(file, 0);
        }
    }

    /** Removes a file, before it is deleted. */
    public void remove(Path file) {
        files.remove(file);
    }

    /**
     * Checks all files.
     *
     * @throws LostFileException if one is missing, or another one is in its place
     * @throws IOException if that cannot be determined
     */
    public void check() throws IOException {
        for (FileIdentity file : files.values()) {
            Optional<String> loss = file.loss();
            // The store may have deleted or closed it since the iteration began.
            if (loss.isPresent() && file.equals(files.get(file.path()))) {
                throw new LostFileException(file.path(), loss.get());
            }
        }
    }

    /** Returns the reason of a failed write: a lost file, which explains more than the failure, or the failure. */
    public IOException reason(IOException failure) {
        if (failure instanceof FsyncFailedException) {
            return failure;
        }
        try {
            check();
            return failure;
        } catch (LostFileException e) {
            return e;
        } catch (IOException e) {
            failure.addSuppressed(e);
            return failure;
        }
    }
}
