package io.dht4j.store.mvstore;

import io.dht4j.store.log.FileIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The files that a store needs at its next start: those that it has open must be the ones at their paths, the others
 * must be there. The directory is not looked at itself: it is held by the files in it that are open. Safe for use by
 * any number of threads; methods block for a call to the file system for each file.
 */
final class OwnFiles {

    private final Map<Path, FileIdentity> files = new ConcurrentHashMap<>();

    /** Takes note of a file that is open from now on. */
    void opened(Path file) throws IOException {
        files.put(file, FileIdentity.of(file));
    }

    /** Takes note of a file that is complete, and closed. */
    void closed(Path file, long bytes) {
        files.put(file, FileIdentity.closed(file, bytes));
    }

    /** Takes note of a file that is complete, if it exists. */
    void closedIfThere(Path file) {
        if (Files.exists(file)) {
            closed(file, 0);
        }
    }

    /** To be called before a file is deleted. */
    void forget(Path file) {
        files.remove(file);
    }

    /**
     * Looks at all of them.
     *
     * @throws LostFileException if one is gone, or another one is in its place
     * @throws IOException if that cannot be told
     */
    void check() throws IOException {
        for (FileIdentity file : files.values()) {
            Optional<String> loss = file.loss();
            // It may have been deleted in order, or closed, since the walk began.
            if (loss.isPresent() && file.equals(files.get(file.path()))) {
                throw new LostFileException(file.path(), loss.get());
            }
        }
    }

    /**
     * What to say of something that could not be written: that the files are gone explains more than how that showed.
     */
    IOException reason(IOException failure) {
        if (failure instanceof ForceFailedException) {
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
