package io.dht4j.store.mvstore.internal.disk;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Thrown when the path of an open file leads to another file, or to none: the next start would not find the data that
 * is written to it.
 */
public final class LostFileException extends IOException {

    private static final long serialVersionUID = 1;

    public LostFileException(Path file, String what) {
        super(file + " " + what
                + ", and what is written now would be lost at the next start. If its directory was moved"
                + " or hidden by a mount, put it back and start again; else " + Health.REFILL
                + " (docs/guide/rebuild-a-node.md)");
    }
}
