package io.dht4j.store.mvstore;

import java.io.IOException;
import java.nio.file.Path;

/**
 * What was written could not be forced to the disk. Nobody knows then what the disk holds of it, and asking again tells
 * nothing: systems mark pages as clean whose writing failed, so that the next attempt succeeds without them (A. Rebello
 * et al., <em>Can Applications Recover from fsync Failures?</em>, USENIX ATC 2020).
 */
final class ForceFailedException extends IOException {

    private static final long serialVersionUID = 1;

    private final transient Path file;

    ForceFailedException(Path file, IOException cause) {
        super(file + " could not be forced to the disk (" + cause + ")", cause);
        this.file = file;
    }

    Path file() {
        return file;
    }
}
