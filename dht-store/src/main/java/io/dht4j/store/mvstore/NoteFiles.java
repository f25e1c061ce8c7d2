package io.dht4j.store.mvstore;

import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import io.dht4j.store.log.LogFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a node remembers of itself, each note in a file of its own, behind a checksum. Safe for use by any number of
 * threads.
 */
final class NoteFiles {

    static final String PREFIX = "note-";

    private static final Pattern NAME = Pattern.compile("[a-z-]{1,32}");

    private final StoreDirectory directory;

    NoteFiles(StoreDirectory directory) {
        this.directory = directory;
    }

    /**
     * Keeps a note in place of the one before; it is on the disk on return, in the directory that the store has open.
     * One thread at a time: all drafts of a note have the same name.
     */
    synchronized void keep(String name, byte[] bytes) {
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
                    file + " cannot be written (" + e + "); " + directory.disk().remedy(directory.path()), e);
        }
    }

    /** A note that was kept. */
    Optional<byte[]> read(String name) {
        Path file = file(name);
        try {
            if (!Files.exists(file)) {
                return Optional.empty();
            }
            if (Files.size(file) > Integer.BYTES + Store.MAX_NOTE_BYTES) {
                throw Health.damaged(file, "a note has at most " + Store.MAX_NOTE_BYTES + " bytes");
            }
            ByteBuffer content = ByteBuffer.wrap(Uninterruptibly.call(() -> Files.readAllBytes(file)));
            byte[] bytes = new byte[Math.max(0, content.remaining() - Integer.BYTES)];
            if (content.remaining() < Integer.BYTES
                    || content.getInt() != LogFormat.crc(content.get(bytes).array(), Integer.BYTES, bytes.length)) {
                throw Health.damaged(file, "its checksum is wrong");
            }
            directory.files().closed(file, Integer.BYTES);
            return Optional.of(bytes);
        } catch (IOException e) {
            throw new StoreException(file + " cannot be read (" + e + "); make it readable", e);
        }
    }

    private Path file(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("a note's name is 1 to 32 of a to z and -, not " + name);
        }
        return directory.path().resolve(PREFIX + name);
    }
}
