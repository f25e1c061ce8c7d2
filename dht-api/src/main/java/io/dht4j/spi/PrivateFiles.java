package io.dht4j.spi;

import io.dht4j.PrintableText;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Creates files and directories for their owner alone. On file systems with POSIX permissions, new files have
 * {@code 0600} and new directories {@code 0700} from their creation, less the process's umask; elsewhere they have the
 * system's defaults. Existing files keep their permissions. Blocks; safe for use by any number of threads.
 */
public final class PrivateFiles {

    private static final Set<PosixFilePermission> OF_OTHERS = EnumSet.of(
            PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE, PosixFilePermission.GROUP_WRITE);

    private PrivateFiles() {}

    /**
     * Creates a file unless it exists.
     *
     * @param file the path; its directory exists
     * @throws IOException if it cannot be created
     */
    public static void createIfMissing(Path file) throws IOException {
        if (Files.exists(file)) {
            return;
        }
        try {
            create(file);
        } catch (FileAlreadyExistsException e) {
            // Another process created it first, or it is a dangling symbolic link. Opening the file reports the
            // latter.
        }
    }

    /**
     * Creates a file.
     *
     * @param file the path; its directory exists
     * @throws FileAlreadyExistsException if something of that name exists
     * @throws IOException if it cannot be created
     */
    public static void create(Path file) throws IOException {
        Files.createFile(file, permissions(file, "rw-------"));
    }

    /**
     * Creates a directory.
     *
     * @param directory the path; its parent exists
     * @throws FileAlreadyExistsException if something of that name exists
     * @throws IOException if it cannot be created
     */
    public static void createDirectory(Path directory) throws IOException {
        Files.createDirectory(directory, permissions(directory, "rwx------"));
    }

    /**
     * Creates a directory and its missing parents.
     *
     * @param directory the path
     * @throws NotDirectoryException if a file is in the place of one
     * @throws IOException if one cannot be created
     */
    public static void createDirectories(Path directory) throws IOException {
        try {
            Files.createDirectories(directory, permissions(directory, "rwx------"));
        } catch (FileSystemException e) {
            for (Path each = directory; each != null; each = each.getParent()) {
                if (Files.exists(each) && !Files.isDirectory(each)) {
                    NotDirectoryException file = new NotDirectoryException(each.toString());
                    file.initCause(e);
                    throw file;
                }
            }
            throw e;
        }
    }

    private static FileAttribute<?>[] permissions(Path path, String permissions) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    /**
     * Warns of a secret file that other users can read or change. Group read access is accepted if root owns the file:
     * a service can then read a secret that it cannot change.
     *
     * @param what the content of the file, for example {@code the private key}
     * @param file an existing file, or a symbolic link to one
     * @param warnings takes a line with the remedy; not called if the permissions are safe or unknown
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
            return; // Permissions are unsupported, or reading the file will report the reason.
        }
        wrong.retainAll(permissions);
        if (!wrong.isEmpty()) {
            warnings.accept(PrintableText.of(what + " in " + file + " is open to other users ("
                    + PosixFilePermissions.toString(permissions) + "): chmod 600 " + file
                    + ", and replace the secret if they are not trusted"));
        }
    }
}
