package io.dht4j.spi;

import java.util.Set;

/** Recognizes the files that operating systems put into any directory. */
public final class SystemFiles {

    /** Of ext4 and other file systems, macOS, and Windows. */
    private static final Set<String> NAMES =
            Set.of("lost+found", ".DS_Store", "Thumbs.db", "desktop.ini", "System Volume Information", "$RECYCLE.BIN");

    private SystemFiles() {}

    /**
     * Returns whether a file was made by a system, and not by an application.
     *
     * @param name the name of the file in its directory
     * @return true for example for {@code lost+found}, {@code .DS_Store} and {@code .nfs0001}
     */
    public static boolean isOne(String name) {
        return NAMES.contains(name)
                // A file that was deleted while it was open over NFS; attributes of a file of macOS; deleted files.
                || name.startsWith(".nfs")
                || name.startsWith("._")
                || name.startsWith(".Trash-");
    }
}
