package io.dht4j.store.mvstore.internal.disk;

import io.dht4j.spi.FileFailure;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import io.dht4j.store.disk.AtomicFile;
import io.dht4j.store.disk.Uninterruptibly;
import io.dht4j.store.log.LogFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The node's metadata, {@linkplain Store#keepNote named values} in a file each, behind a checksum. Safe for use by any
 * number of threads; methods block on the disk.
 */
public final class MetadataFiles {

    /** The prefix of the files' names, which the format of the directory fixes. */
    static final String PREFIX = "note-";

    private static final Pattern NAME = Pattern.compile("[a-z-]{1,32}");

    private final StoreDirectory directory;

    MetadataFiles(StoreDirectory directory) {
        this.directory = directory;
    }

    /**
     * Replaces a value. It is on the disk on return, in the directory that the store has open. Synchronized, because
     * all drafts of a value's file have the same name.
     *
     * @param name 1 to 32 of a to z and -
     * @param bytes the value
     * @throws StoreException if it cannot be written
     */
    public synchronized void put(String name, byte[] bytes) {
        Path file = file(name);
        try {
            ByteBuffer content = ByteBuffer.allocate(Integer.BYTES + bytes.length);
            content.putInt(LogFormat.crc(bytes, 0, bytes.length)).put(bytes).flip();
            directory.files().check();
            AtomicFile.write(directory.disk(), directory.path(), String.valueOf(file.getFileName()), content);
            directory.files().closed(file, Integer.BYTES);
            directory.files().check();
        } catch (LostFileException e) {
            throw new StoreException(String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw new StoreException(
                    file + " cannot be written (" + FileFailure.inWords(e) + "); "
                            + directory.disk().remedy(directory.path()),
                    e);
        }
    }

    /**
     * Returns a value.
     *
     * @param name 1 to 32 of a to z and -
     * @return empty if there is none
     * @throws StoreException if it is damaged or cannot be read
     */
    public Optional<byte[]> get(String name) {
        Path file = file(name);
        try {
            if (!Files.exists(file)) {
                return Optional.empty();
            }
            if (Files.size(file) > Integer.BYTES + Store.MAX_NOTE_BYTES) {
                throw Health.damaged(file, "has more than " + Store.MAX_NOTE_BYTES + " bytes, the most of a note");
            }
            ByteBuffer content = ByteBuffer.wrap(Uninterruptibly.call(() -> Files.readAllBytes(file)));
            byte[] bytes = new byte[Math.max(0, content.remaining() - Integer.BYTES)];
            if (content.remaining() < Integer.BYTES
                    || content.getInt() != LogFormat.crc(content.get(bytes).array(), Integer.BYTES, bytes.length)) {
                throw Health.damaged(file, "has a wrong checksum");
            }
            directory.files().closed(file, Integer.BYTES);
            return Optional.of(bytes);
        } catch (IOException e) {
            throw new StoreException(file + " cannot be read (" + FileFailure.inWords(e) + "); make it readable", e);
        }
    }

    private Path file(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("a note's name is 1 to 32 of a to z and -, not " + name);
        }
        return directory.path().resolve(PREFIX + name);
    }
}
