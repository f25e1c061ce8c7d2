package io.dht4j.server.backup;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.Item;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;

/** Reads a data file and checks it against the manifest. For one thread. */
final class DataFileReader implements AutoCloseable {

    private final Manifest.DataFile file;
    private final Version cut;
    private final InputStream in;
    private final MessageDigest digest = Sha256.begin();
    private Optional<Key> last;
    private long left;
    private long entries;

    private DataFileReader(Manifest.DataFile file, Version cut, InputStream in, Optional<Key> last) {
        this.file = file;
        this.cut = cut;
        this.in = in;
        this.last = last;
        this.left = file.bytes();
    }

    /**
     * Opens a file.
     *
     * @param number of the file, counted from 1
     * @param last the last key of the file before
     */
    static DataFileReader open(Path directory, Manifest.DataFile file, int number, Version cut, Optional<Key> last)
            throws IOException, ClientException {
        Path path = directory.resolve(file.name());
        long size = Files.size(path);
        if (size != file.bytes()) {
            throw new ClientException(
                    file.name() + ": damaged, it has " + size + " bytes, the manifest says " + file.bytes());
        }
        DataFileReader reader =
                new DataFileReader(file, cut, new BufferedInputStream(Files.newInputStream(path), 1 << 20), last);
        try {
            reader.header(number);
            return reader;
        } catch (IOException | ClientException e) {
            reader.close();
            throw e;
        }
    }

    private void header(int number) throws IOException, ClientException {
        if (!Arrays.equals(
                read(DataFormat.HEADER_BYTES), DataFormat.header(number, cut).array())) {
            throw damaged("its header is not that of file " + number + " of this snapshot");
        }
    }

    /** Returns the next entry; empty at the end, when the whole file has been verified. */
    Optional<Item> next() throws IOException, ClientException {
        if (left == 0) {
            if (entries != file.entries()) {
                throw damaged("it has " + entries + " entries, the manifest says " + file.entries());
            }
            if (!Sha256.text(digest.digest()).equals(file.sha256())) {
                throw damaged("its SHA-256 is not the one in the manifest");
            }
            return Optional.empty();
        }
        byte[] header = read(DataFormat.RECORD_HEADER_BYTES);
        int length = ByteBuffer.wrap(header).getInt();
        if (length < DataFormat.shortestBody() || length > DataFormat.longestBody(left)) {
            throw damaged("entry " + (entries + 1) + " has length " + length + ", which must be "
                    + DataFormat.shortestBody() + " to " + DataFormat.longestBody(left));
        }
        byte[] record = Arrays.copyOf(header, DataFormat.RECORD_HEADER_BYTES + length);
        readInto(record, DataFormat.RECORD_HEADER_BYTES, length);
        if (ByteBuffer.wrap(header).getInt(4) != DataFormat.recordCrc(record, length)) {
            throw damaged("the checksum of entry " + (entries + 1) + " does not fit");
        }
        entries++;
        Item item;
        try {
            item = DataFormat.item(record);
        } catch (ClientException e) {
            throw damaged("entry " + entries + " is malformed: " + e.getMessage());
        }
        if (item.version().filter(version -> version.compareTo(cut) > 0).isPresent()) {
            throw damaged("entry " + entries + " is newer than the snapshot");
        }
        if (last.filter(key -> key.compareTo(item.key()) >= 0).isPresent()) {
            throw damaged("entry " + entries + " is not in the order of the keys");
        }
        last = Optional.of(item.key());
        return Optional.of(item);
    }

    Optional<Key> last() {
        return last;
    }

    long entries() {
        return entries;
    }

    long bytesRead() {
        return file.bytes() - left;
    }

    private byte[] read(int length) throws IOException, ClientException {
        byte[] bytes = new byte[length];
        readInto(bytes, 0, length);
        return bytes;
    }

    private void readInto(byte[] bytes, int from, int length) throws IOException, ClientException {
        if (length > left || in.readNBytes(bytes, from, length) < length) {
            throw damaged("it is cut off");
        }
        digest.update(bytes, from, length);
        left -= length;
    }

    private ClientException damaged(String why) {
        return new ClientException(file.name() + ": damaged, " + why);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
