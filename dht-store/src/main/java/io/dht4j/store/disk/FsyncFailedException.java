package io.dht4j.store.disk;

import io.dht4j.spi.FileFailure;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Thrown when an fsync has failed: it is unknown which of the written bytes are on the disk. A second fsync does not
 * help, because operating systems mark the pages of a failed write as clean, and succeed without them the next time (A.
 * Rebello et al., <em>Can Applications Recover from fsync Failures?</em>, USENIX ATC 2020).
 */
public final class FsyncFailedException extends IOException {

    private static final long serialVersionUID = 1;

    private final transient Path file;

    public FsyncFailedException(Path file, IOException cause) {
        super(file + " could not be forced to the disk (" + FileFailure.inWords(cause) + ")", cause);
        this.file = file;
    }

    public Path file() {
        return file;
    }
}
