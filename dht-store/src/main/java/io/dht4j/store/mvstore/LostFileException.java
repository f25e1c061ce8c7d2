package io.dht4j.store.mvstore;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A file that the store works on is not the one at its path any more: what is written to it is not found at the next
 * start.
 */
final class LostFileException extends IOException {

    private static final long serialVersionUID = 1;

    LostFileException(Path file, String what) {
        super(file + " " + what
                + ", and what is written now would be lost at the next start. If its directory was moved"
                + " or hidden by a mount, put it back and start again; else start the server with --rebuild, which gets"
                + " the entries back from the other replicas (docs/guide/rebuild-a-node.md)");
    }
}
