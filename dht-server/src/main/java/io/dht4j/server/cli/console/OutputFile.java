package io.dht4j.server.cli.console;

import io.dht4j.server.client.ClientException;
import io.dht4j.spi.PrivateFiles;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.UUID;

/**
 * A file that a command writes. It has its old content until {@link #commit} returns, and its new content from then on.
 * It keeps its permissions; a new file is readable only for its owner. A symbolic link stays, and the file that it
 * names is written. A device, a pipe, and what {@link OutputDescriptor} opens are written directly. For one thread.
 */
public final class OutputFile implements AutoCloseable {

    private final Path target;
    private final Optional<Path> unfinished;
    private final OutputStream stream;

    private OutputFile(Path target, Optional<Path> unfinished, OutputStream stream) {
        this.target = target;
        this.unfinished = unfinished;
        this.stream = new Named(stream, target);
    }

    /** Names the file in its failures: those of a write do not. */
    private static final class Named extends FilterOutputStream {

        private final Path file;

        Named(OutputStream out, Path file) {
            super(out);
            this.file = file;
        }

        @Override
        public void write(int octet) throws IOException {
            write(new byte[] {(byte) octet}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                out.write(bytes, offset, length);
            } catch (IOException e) {
                throw named(e);
            }
        }

        @Override
        public void flush() throws IOException {
            try {
                out.flush();
            } catch (IOException e) {
                throw named(e);
            }
        }

        @Override
        public void close() throws IOException {
            try {
                out.close();
            } catch (IOException e) {
                throw named(e);
            }
        }

        private IOException named(IOException failure) {
            return failure instanceof FileSystemException
                    ? failure
                    : new FileSystemException(file.toString(), null, failure.getMessage());
        }
    }

    /**
     * Opens a file for writing. Blocks.
     *
     * @param file where to write
     * @return an open file, which the caller closes
     * @throws IOException if it cannot be written
     * @throws ClientException if it is a directory
     */
    public static OutputFile open(Path file) throws IOException, ClientException {
        refuseDirectory(file);
        Optional<OutputStream> descriptor = OutputDescriptor.open(file);
        if (descriptor.isPresent()) {
            return new OutputFile(file, Optional.empty(), descriptor.get());
        }
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            return new OutputFile(file, Optional.empty(), Files.newOutputStream(file, StandardOpenOption.WRITE));
        }
        Path target = named(file);
        if (Files.exists(target) && !Files.isWritable(target)) {
            throw new AccessDeniedException(file.toString());
        }
        // A unique name: two commands that write the same file leave the content of one of them.
        Path unfinished = target.resolveSibling(target.getFileName() + "." + UUID.randomUUID() + ".part");
        try {
            PrivateFiles.create(unfinished);
        } catch (AccessDeniedException e) {
            // The user knows the name of the file, and not that of its unfinished content.
            throw new AccessDeniedException(file.toString());
        } catch (NoSuchFileException e) {
            throw new NoSuchFileException(file.toString());
        } catch (FileSystemException e) {
            throw new FileSystemException(file.toString(), null, e.getReason());
        }
        OutputStream stream = Files.newOutputStream(unfinished, StandardOpenOption.WRITE);
        if (Files.exists(target)
                && FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
            // Before it has any content.
            Files.setPosixFilePermissions(unfinished, Files.getPosixFilePermissions(target));
        }
        return new OutputFile(target, Optional.of(unfinished), stream);
    }

    /** Fails if the file is a directory. */
    public static void refuseDirectory(Path file) throws ClientException {
        if (Files.isDirectory(file)) {
            throw new ClientException(file + " is a directory");
        }
    }

    /** Returns the file that a chain of symbolic links names; it need not exist. */
    private static Path named(Path file) throws IOException {
        if (Files.exists(file)) {
            return Files.isSymbolicLink(file) ? file.toRealPath() : file;
        }
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS) ? file.resolveSibling(Files.readSymbolicLink(file)) : file;
    }

    /** Returns the stream for the content. */
    public OutputStream stream() {
        return stream;
    }

    /** Completes the content. Blocks until the file has it. */
    public void commit() throws IOException {
        stream.close();
        if (unfinished.isPresent()) {
            Files.move(unfinished.get(), target, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Leaves the file as it was, unless its content was complete. */
    @Override
    public void close() throws IOException {
        stream.close();
        if (unfinished.isPresent()) {
            Files.deleteIfExists(unfinished.get());
        }
    }
}
