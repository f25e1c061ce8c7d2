package io.dht4j.server.backup;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.Item;
import io.dht4j.spi.PrivateFiles;
import io.dht4j.spi.SystemFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes a snapshot's directory, which only its owner may read. The entries go to a temporary directory beside it,
 * which is forced to the disk and renamed when it is complete. A directory of the final name is therefore complete. A
 * directory has one writer at a time. Blocks; for one thread.
 */
public final class SnapshotWriter implements AutoCloseable {

    /** A data file ends with the record that brings it to this size. */
    public static final int FILE_BYTES = 64 << 20;

    private static final int BUFFER_BYTES = 1 << 20;

    private final Path directory;
    private final Path unfinished;
    private final SnapshotLock lock;
    private final Version cut;
    private final long fileBytes;
    private final List<Manifest.DataFile> files = new ArrayList<>();
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    private MessageDigest digest = Sha256.begin();
    private @Nullable FileChannel channel;
    private Optional<Key> last = Optional.empty();
    private long entriesInFile;
    private long bytesInFile;
    private long entries;
    private long bytes;
    private boolean closed;

    private SnapshotWriter(Path directory, Path unfinished, SnapshotLock lock, Version cut, long fileBytes) {
        this.directory = directory;
        this.unfinished = unfinished;
        this.lock = lock;
        this.cut = cut;
        this.fileBytes = fileBytes;
    }

    /**
     * Checks that a snapshot may be written to a directory.
     *
     * @param directory the future place of the snapshot
     * @throws ClientException if the path exists already
     */
    public static void requireFree(Path directory) throws ClientException {
        if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            throw new ClientException(directory + " is there already; a snapshot makes its own directory");
        }
    }

    /**
     * Begins a snapshot.
     *
     * @param directory its place after completion
     * @param cut its version
     * @param fileBytes a data file ends with the record that brings it to this size
     * @return a writer
     * @throws IOException if the temporary directory cannot be made
     * @throws ClientException if the path exists already, another snapshot is being written there, or another file has
     *     the temporary name
     */
    public static SnapshotWriter begin(Path directory, Version cut, long fileBytes)
            throws IOException, ClientException {
        Path unfinished = directory.resolveSibling(directory.getFileName() + ".part");
        SnapshotLock lock = SnapshotLock.take(directory);
        try {
            // Not before: the previous holder of the lock may have completed a snapshot.
            requireFree(directory);
            remove(unfinished);
            PrivateFiles.createDirectory(unfinished);
            return new SnapshotWriter(directory, unfinished, lock, cut, fileBytes);
        } catch (IOException | ClientException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    /** Removes the remains of an interrupted snapshot, with files of the system; any other file of that name stays. */
    private static void remove(Path unfinished) throws IOException, ClientException {
        if (!Files.exists(unfinished, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        List<Path> ours = new ArrayList<>();
        if (Files.isDirectory(unfinished, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(unfinished)) {
                for (Path file : all) {
                    String name = file.getFileName().toString();
                    boolean isPart = name.equals(Manifest.NAME) || name.matches("data-\\d{6,}\\.dht");
                    if (!isPart && !(SystemFiles.isOne(name) && isWithoutFiles(file))) {
                        throw new ClientException(unfinished + " is in the way: it holds " + name
                                + ", which is no part of an unfinished snapshot");
                    }
                    ours.add(file);
                }
            }
        }
        for (Path file : ours) {
            Files.delete(file);
        }
        Files.delete(unfinished);
    }

    /** Returns false for a directory with files: those in a directory of the system may be someone's. */
    private static boolean isWithoutFiles(Path file) throws IOException {
        if (!Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
            return true;
        }
        try (Stream<Path> files = Files.list(file)) {
            return files.findAny().isEmpty();
        }
    }

    /**
     * Adds an entry.
     *
     * @param item an entry of the snapshot, after all that were added before
     * @throws IOException if it cannot be written
     * @throws ClientException if it does not belong to the snapshot
     */
    public void add(Item item) throws IOException, ClientException {
        Version version = item.version()
                .orElseThrow(() -> new ClientException("the node sent key " + item.key() + " without a version"));
        if (version.compareTo(cut) > 0) {
            throw new ClientException("the node sent key " + item.key() + " of version " + version
                    + ", which is newer than the snapshot's version " + cut);
        }
        if (last.isPresent() && last.get().compareTo(item.key()) >= 0) {
            throw new ClientException("the node sent key " + item.key() + " behind " + last.get());
        }
        if (channel == null) {
            beginFile();
        }
        write(DataFormat.record(item, version));
        last = Optional.of(item.key());
        entriesInFile++;
        entries++;
        bytes += item.key().length() + item.value().length;
        if (bytesInFile >= fileBytes) {
            endFile();
        }
    }

    private void beginFile() throws IOException {
        int number = files.size() + 1;
        channel = create(unfinished.resolve(DataFormat.name(number)));
        digest = Sha256.begin();
        entriesInFile = 0;
        bytesInFile = 0;
        write(DataFormat.header(number, cut));
    }

    private static FileChannel create(Path file) throws IOException {
        PrivateFiles.create(file);
        return FileChannel.open(file, StandardOpenOption.WRITE);
    }

    private void write(ByteBuffer data) throws IOException {
        digest.update(data.duplicate());
        bytesInFile += data.remaining();
        if (data.remaining() > buffer.remaining()) {
            flush();
        }
        if (data.remaining() > buffer.capacity()) {
            writeOut(data);
        } else {
            buffer.put(data);
        }
    }

    private void flush() throws IOException {
        writeOut(buffer.flip());
        buffer.clear();
    }

    private void writeOut(ByteBuffer data) throws IOException {
        FileChannel file = channel;
        while (file != null && data.hasRemaining()) {
            file.write(data);
        }
    }

    private void endFile() throws IOException {
        FileChannel file = channel;
        if (file == null) {
            return;
        }
        flush();
        file.force(true);
        file.close();
        channel = null;
        files.add(new Manifest.DataFile(
                DataFormat.name(files.size() + 1), entriesInFile, bytesInFile, Sha256.text(digest.digest())));
    }

    /**
     * Completes the snapshot. On return it exists under its name, and is on the disk.
     *
     * @return a summary
     * @throws IOException if a file cannot be written
     */
    public SnapshotInfo finish() throws IOException {
        endFile();
        Manifest manifest = new Manifest(cut, entries, bytes, files);
        try (FileChannel file = create(unfinished.resolve(Manifest.NAME))) {
            ByteBuffer encoded = ByteBuffer.wrap(manifest.encode());
            while (encoded.hasRemaining()) {
                file.write(encoded);
            }
            file.force(true);
        }
        force(unfinished);
        Files.move(unfinished, directory, StandardCopyOption.ATOMIC_MOVE);
        Path parent = directory.toAbsolutePath().getParent();
        if (parent != null) {
            force(parent);
        }
        return SnapshotInfo.of(manifest);
    }

    /** Forces the names in a directory to the disk too. Some systems cannot, and need not. */
    private static void force(Path names) throws IOException {
        if (!System.getProperty("os.name", "").startsWith("Windows")) {
            try (FileChannel channel = FileChannel.open(names, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    /** Removes an unfinished snapshot. May be called repeatedly. */
    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            removeUnfinished();
        } finally {
            lock.close();
        }
    }

    private void removeUnfinished() throws IOException {
        FileChannel file = channel;
        if (file != null) {
            file.close();
            channel = null;
        }
        try {
            remove(unfinished);
        } catch (ClientException e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}
