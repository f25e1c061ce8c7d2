package io.dht4j.spi;

import io.dht4j.PrintableText;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Files and directories that are for their owner alone. Where the file system knows POSIX permissions, what is made
 * here has {@code 0600} or {@code 0700} from the beginning, or less if the process's umask takes more away; elsewhere
 * it has what the system gives. What exists keeps the permissions that it has. Blocks; safe for use by any number of
 * threads.
 */
public final class PrivateFiles {

    private static final Set<PosixFilePermission> OF_OTHERS = EnumSet.of(
            PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE, PosixFilePermission.GROUP_WRITE);

    private PrivateFiles() {}

    /**
     * Makes a file if there is none.
     *
     * @param file where; its directory exists
     * @throws IOException if it cannot be made
     */
    public static void createIfMissing(Path file) throws IOException {
        if (Files.exists(file)) {
            return;
        }
        try {
            create(file);
        } catch (FileAlreadyExistsException e) {
            // Somebody was quicker, or it is a symbolic link to a file that does not exist: opening it will tell.
        }
    }

    /**
     * Makes a file.
     *
     * @param file where; its directory exists
     * @throws FileAlreadyExistsException if something of that name exists
     * @throws IOException if it cannot be made
     */
    public static void create(Path file) throws IOException {
        Files.createFile(file, permissions(file, "rw-------"));
    }

    /**
     * Makes a directory.
     *
     * @param directory where; the one that it is in exists
     * @throws FileAlreadyExistsException if something of that name exists
     * @throws IOException if it cannot be made
     */
    public static void createDirectory(Path directory) throws IOException {
        Files.createDirectory(directory, permissions(directory, "rwx------"));
    }

    /**
     * Makes a directory, and those that it is in, where they do not exist.
     *
     * @param directory where
     * @throws IOException if one cannot be made, or a file is in its place
     */
    public static void createDirectories(Path directory) throws IOException {
        Files.createDirectories(directory, permissions(directory, "rwx------"));
    }

    private static FileAttribute<?>[] permissions(Path path, String permissions) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    /**
     * Warns of a secret file that other users may read or change. Its group may read it if root owns it: so a service
     * gets a secret that it must not change.
     *
     * @param what what the file holds, for example {@code the private key}
     * @param file an existing file, or a symbolic link to one
     * @param warnings takes a line that says what to do; not called if nothing is wrong, or nobody can tell
     */
    public static void warnIfOpen(String what, Path file, Consumer<String> warnings) {
        Set<PosixFilePermission> permissions;
        Set<PosixFilePermission> wrong = EnumSet.copyOf(OF_OTHERS);
        try {
            PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class);
            permissions = attributes.permissions();
            if (!attributes.owner().getName().equals("root")) {
                wrong.add(PosixFilePermission.GROUP_READ);
            }
        } catch (UnsupportedOperationException | IOException e) {
            return; // No such permissions here; and whoever reads the file says why it cannot.
        }
        wrong.retainAll(permissions);
        if (!wrong.isEmpty()) {
            warnings.accept(PrintableText.of(what + " in " + file + " is open to other users ("
                    + PosixFilePermissions.toString(permissions) + "): chmod 600 " + file
                    + ", and replace the secret if they are not trusted"));
        }
    }
}
