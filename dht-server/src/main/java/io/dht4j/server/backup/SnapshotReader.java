package io.dht4j.server.backup;

import io.dht4j.Key;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.Item;
import io.dht4j.server.client.ItemSource;
import io.dht4j.spi.SystemFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A reader of a snapshot's directory. No part of it may be used before all of it was verified. */
public final class SnapshotReader {

    private final Path directory;
    private final Manifest manifest;

    private SnapshotReader(Path directory, Manifest manifest) {
        this.directory = directory;
        this.manifest = manifest;
    }

    /**
     * Verifies a snapshot: its manifest; that exactly its files are there; the size and hash of each file; and the
     * checksum, form, order and version of each entry. Blocks until all of it was read.
     *
     * @param directory the snapshot's
     * @param progress receives the number of bytes read so far
     * @return the snapshot
     * @throws IOException if it cannot be read
     * @throws ClientException if any byte differs from the written ones; the message names the file and the error
     */
    public static SnapshotReader verified(Path directory, LongConsumer progress) throws IOException, ClientException {
        if (Files.isRegularFile(directory)) {
            throw new ClientException(directory + " is a file; a snapshot is a directory, as dht snapshot makes it"
                    + " (dht load reads a file that dht dump has made)");
        }
        if (!Files.isDirectory(directory)) {
            throw new ClientException("there is no directory " + directory);
        }
        try {
            SnapshotReader reader = new SnapshotReader(directory, manifest(directory));
            reader.requireNoOtherFiles();
            Source all = reader.new Source();
            long entries = 0;
            long bytes = 0;
            Optional<Item> item = all.next();
            while (item.isPresent()) {
                entries++;
                bytes += item.get().key().length() + item.get().value().length;
                progress.accept(all.bytesRead());
                item = all.next();
            }
            if (entries != reader.manifest.entries() || bytes != reader.manifest.bytes()) {
                throw new ClientException(Manifest.NAME + ": it says " + reader.manifest.entries() + " entries of "
                        + reader.manifest.bytes() + " bytes, there are " + entries + " of " + bytes);
            }
            return reader;
        } catch (ClientException e) {
            throw new ClientException("snapshot " + directory + " refused: " + e.getMessage());
        }
    }

    private static Manifest manifest(Path directory) throws IOException, ClientException {
        Path path = directory.resolve(Manifest.NAME);
        if (!Files.isRegularFile(path)) {
            throw new ClientException(Manifest.NAME + " is missing: no snapshot, or one that was interrupted");
        }
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(Manifest.MAX_BYTES + 1);
            if (bytes.length > Manifest.MAX_BYTES) {
                throw new ClientException(
                        Manifest.NAME + ": damaged, it has more than " + Manifest.MAX_BYTES + " bytes");
            }
            return Manifest.decode(bytes);
        }
    }

    private void requireNoOtherFiles() throws IOException, ClientException {
        Set<String> expected = new HashSet<>();
        expected.add(Manifest.NAME);
        int number = 0;
        for (Manifest.DataFile file : manifest.files()) {
            number++;
            if (!file.name().equals(DataFormat.name(number))) {
                throw new ClientException(Manifest.NAME + ": damaged, its file " + number + " has another name");
            }
            if (!Files.isRegularFile(directory.resolve(file.name()))) {
                throw new ClientException(file.name() + " is missing");
            }
            expected.add(file.name());
        }
        try (DirectoryStream<Path> all = Files.newDirectoryStream(directory)) {
            for (Path file : all) {
                String name = file.getFileName().toString();
                if (!expected.contains(name) && !SystemFiles.isOne(name)) {
                    throw new ClientException(name + " does not belong to it");
                }
            }
        }
    }

    /**
     * Returns the summary of the snapshot.
     *
     * @return the contents of its manifest
     */
    public SnapshotInfo info() {
        return SnapshotInfo.of(manifest);
    }

    /**
     * Reads the entries, checking them again.
     *
     * @return all entries in the order of their keys
     */
    public ItemSource items() {
        return new Source();
    }

    /** The files in order; each is closed at its end. */
    private final class Source implements ItemSource {

        private int number;
        private @Nullable DataFileReader file;
        private Optional<Key> last = Optional.empty();
        private long bytesBefore;

        @Override
        public Optional<Item> next() throws IOException, ClientException {
            while (true) {
                DataFileReader open = file;
                if (open == null) {
                    if (number == manifest.files().size()) {
                        return Optional.empty();
                    }
                    open = DataFileReader.open(
                            directory, manifest.files().get(number), number + 1, manifest.cut(), last);
                    number++;
                    file = open;
                }
                Optional<Item> item = nextOf(open);
                if (item.isPresent()) {
                    return item;
                }
                last = open.last();
                bytesBefore += open.bytesRead();
                open.close();
                file = null;
            }
        }

        private Optional<Item> nextOf(DataFileReader open) throws IOException, ClientException {
            try {
                return open.next();
            } catch (IOException | ClientException e) {
                open.close();
                throw e;
            }
        }

        @Override
        public String place() {
            DataFileReader open = file;
            return DataFormat.name(number) + (open == null ? "" : ", entry " + open.entries());
        }

        @Override
        public long bytesRead() {
            DataFileReader open = file;
            return bytesBefore + (open == null ? 0 : open.bytesRead());
        }
    }
}
