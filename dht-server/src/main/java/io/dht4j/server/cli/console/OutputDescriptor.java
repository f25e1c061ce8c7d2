package io.dht4j.server.cli.console;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Paths of open file descriptors: {@code /dev/stdout}, {@code /dev/fd/3}, {@code /proc/self/fd/3}, and links to these.
 * Other processes write there too, so output is appended, and the file is never replaced.
 */
final class OutputDescriptor {

    /** The number of links that the system follows as well. */
    private static final int MAX_LINKS = 40;

    private static final Path OF_THIS_PROCESS = Path.of("/dev/fd");
    private static final Pattern OF_A_PROCESS = Pattern.compile("/dev/fd|/proc/\\d+/(task/\\d+/)?fd");

    private OutputDescriptor() {}

    /**
     * Opens a file for writing if it is the path of an open descriptor. Blocks.
     *
     * @return a stream whose end leaves standard output and standard error open; empty for another file
     * @throws IOException if the descriptor is not open, or cannot be written
     */
    static Optional<OutputStream> open(Path file) throws IOException {
        Path next = file.toAbsolutePath();
        // The last link is not followed: it need not lead to a path.
        for (int links = 0; links <= MAX_LINKS; links++) {
            Path name = next.getFileName();
            Path parent = next.getParent();
            if (name == null || parent == null || !Files.isDirectory(parent)) {
                return Optional.empty();
            }
            Path directory = parent.toRealPath();
            Path link = directory.resolve(name);
            if (OF_A_PROCESS.matcher(directory.toString()).matches()) {
                return Optional.of(stream(directory, link));
            }
            if (!Files.isSymbolicLink(link)) {
                return Optional.empty();
            }
            next = directory.resolve(Files.readSymbolicLink(link));
        }
        return Optional.empty();
    }

    private static OutputStream stream(Path directory, Path descriptor) throws IOException {
        if (directory.equals(OF_THIS_PROCESS.toRealPath())) {
            // Opening these again would begin at the start of the file, and overwrite the output of others.
            if (descriptor.endsWith("1")) {
                return new LeftOpen(new FileOutputStream(FileDescriptor.out));
            }
            if (descriptor.endsWith("2")) {
                return new LeftOpen(new FileOutputStream(FileDescriptor.err));
            }
        }
        return Files.isRegularFile(descriptor)
                ? Files.newOutputStream(descriptor, StandardOpenOption.APPEND)
                : Files.newOutputStream(descriptor, StandardOpenOption.WRITE);
    }

    /** A stream that others write after this one. */
    private static final class LeftOpen extends FilterOutputStream {

        LeftOpen(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
