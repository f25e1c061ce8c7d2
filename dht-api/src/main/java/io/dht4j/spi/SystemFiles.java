package io.dht4j.spi;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Recognizes the files that operating systems put into any directory. */
public final class SystemFiles {

    /** Names on file systems that distinguish case: recovery and quotas, desktops, snapshots, clusters, NAS, Git. */
    private static final Set<String> NAMES = Set.of(
            "lost+found",
            "aquota.user",
            "aquota.group",
            "quota.user",
            "quota.group",
            ".directory",
            ".snapshot",
            ".snapshots",
            ".zfs",
            ".glusterfs",
            "@eaDir",
            ".gitkeep");

    /** Names of macOS and Windows, which do not distinguish case, in lower case. */
    private static final Set<String> NAMES_IN_ANY_CASE = Set.of(
            ".ds_store",
            ".spotlight-v100",
            ".fseventsd",
            ".trashes",
            ".temporaryitems",
            ".documentrevisions-v100",
            ".apdisk",
            "thumbs.db",
            "desktop.ini",
            "system volume information",
            "$recycle.bin");

    /** Deleted files that were open, over NFS and in FUSE; attributes of a file of macOS; deleted files of desktops. */
    private static final List<String> PREFIXES = List.of(".nfs", ".fuse_hidden", "._", ".Trash-");

    private SystemFiles() {}

    /**
     * Returns whether a file was made by a system, and not by an application.
     *
     * @param name the name of the file in its directory
     * @return true for example for {@code lost+found}, {@code .DS_Store} and {@code .nfs0001}
     */
    public static boolean isOne(String name) {
        return NAMES.contains(name)
                || NAMES_IN_ANY_CASE.contains(name.toLowerCase(Locale.ROOT))
                || PREFIXES.stream().anyMatch(name::startsWith);
    }
}
