package io.dht4j.store.mvstore;

import io.dht4j.spi.FileFailure;
import io.dht4j.spi.PrivateFiles;
import io.dht4j.spi.RefillMarker;
import io.dht4j.spi.StoreException;
import io.dht4j.store.disk.AtomicFile;
import io.dht4j.store.disk.Disk;
import io.dht4j.store.mvstore.internal.disk.DirectoryFormat;
import io.dht4j.store.mvstore.internal.disk.StoreDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rebuilds a damaged store: its files are moved away, and the node gets its entries back from the other replicas. No
 * file is deleted.
 */
public final class Rebuild {

    private static final Logger LOG = LoggerFactory.getLogger(Rebuild.class);
    private static final String HEADER = "dht4j refill 1";
    private static final String EVERYTHING = "everything";
    private static final int MAX_DAMAGED = 10_000;

    private Rebuild() {}

    /**
     * Moves a store's files into a new directory {@code damaged-N} within its own, and marks all partitions for a
     * refill. An empty directory, or one that does not exist yet, is marked only: for a disk that was replaced. If a
     * refill is running and the store can be opened, no file is moved, and the refill continues. Blocks. May be
     * repeated after an interruption.
     *
     * @param directory of a store that is not open
     * @return where the files are now; empty if there were none, or if a refill continues
     * @throws StoreException if the directory is in use, holds files that are no store, or cannot be written; the
     *     message names the reason
     */
    public static Optional<Path> begin(Path directory) {
        if (isUnderWay(directory)) {
            return Optional.empty();
        }
        try (StoreDirectory locked = StoreDirectory.lock(directory)) {
            // First of all: an empty store must never pass for a complete one.
            write(locked, HEADER + "\n" + EVERYTHING + "\n");
            List<Path> files;
            try (Stream<Path> listed = Files.list(directory)) {
                files = listed.filter(Files::isRegularFile)
                        .filter(file -> DirectoryFormat.isStoreFile(String.valueOf(file.getFileName())))
                        .sorted()
                        .toList();
            }
            if (files.isEmpty()) {
                return Optional.empty();
            }
            Path damaged = newDirectory(directory);
            for (Path file : files) {
                if (file.endsWith(DirectoryFormat.FORMAT_FILE)) {
                    // It stays, or is written again, so that the directory is a store's at any time.
                    Files.copy(file, damaged.resolve(file.getFileName()));
                } else {
                    Files.move(file, damaged.resolve(file.getFileName()), StandardCopyOption.ATOMIC_MOVE);
                }
            }
            locked.writeFormat();
            locked.sync();
            return Optional.of(damaged);
        } catch (IOException e) {
            throw new StoreException(
                    directory + ": its files cannot be moved away (" + FileFailure.inWords(e)
                            + "); make it readable and writable",
                    e);
        }
    }

    private static boolean isUnderWay(Path directory) {
        if (!Files.exists(directory.resolve(DirectoryFormat.REFILL_FILE))) {
            return false;
        }
        try {
            MvStore.open(directory, MvStoreOptions.defaults()).close();
            return true;
        } catch (StoreException e) {
            LOG.warn(
                    "{} was being refilled, and cannot be opened; the rebuild starts again: {}",
                    directory,
                    e.getMessage());
            return false;
        }
    }

    private static Path newDirectory(Path directory) throws IOException {
        for (int i = 1; i < MAX_DAMAGED; i++) {
            Path damaged = directory.resolve(DirectoryFormat.DAMAGED_PREFIX + i);
            if (!Files.exists(damaged)) {
                PrivateFiles.createDirectory(damaged);
                return damaged;
            }
        }
        throw new IOException(
                "there are " + MAX_DAMAGED + " directories " + DirectoryFormat.DAMAGED_PREFIX + "N already");
    }

    /**
     * Returns the partitions of a store that must be refilled: some until its rebuild is complete.
     *
     * @param directory of a store; need not be open yet
     * @return the marker, in a file next to the store's
     */
    public static RefillMarker marker(Path directory) {
        Path file = directory.resolve(DirectoryFormat.REFILL_FILE);
        return new RefillMarker() {
            @Override
            public BitSet pending(int partitions) {
                return read(file, partitions);
            }

            @Override
            public void keep(BitSet pending) {
                try {
                    if (pending.isEmpty()) {
                        Files.deleteIfExists(file);
                        Disk.REAL.forceNames(directory);
                    } else {
                        String left = HexFormat.of().formatHex(pending.toByteArray());
                        AtomicFile.write(
                                Disk.REAL,
                                directory,
                                DirectoryFormat.REFILL_FILE,
                                StandardCharsets.ISO_8859_1.encode(HEADER + "\n" + left + "\n"));
                    }
                } catch (IOException e) {
                    throw new StoreException(file + " cannot be written (" + FileFailure.inWords(e) + ")", e);
                }
            }
        };
    }

    private static void write(StoreDirectory locked, String text) throws IOException {
        AtomicFile.write(
                locked.disk(), locked.path(), DirectoryFormat.REFILL_FILE, StandardCharsets.ISO_8859_1.encode(text));
    }

    private static BitSet read(Path file, int partitions) {
        BitSet everything = RefillMarker.everything().pending(partitions);
        try {
            if (!Files.exists(file)) {
                return new BitSet();
            }
            List<String> lines = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
                    .lines()
                    .toList();
            if (lines.size() != 2 || !lines.get(0).equals(HEADER)) {
                LOG.warn("{} does not list the partitions to refill: all of them are refilled", file);
                return everything;
            }
            if (lines.get(1).equals(EVERYTHING)) {
                return everything;
            }
            BitSet pending = BitSet.valueOf(HexFormat.of().parseHex(lines.get(1)));
            pending.and(everything);
            return pending;
        } catch (IllegalArgumentException e) {
            LOG.warn("{} is damaged: all partitions are refilled", file);
            return everything;
        } catch (IOException e) {
            throw new StoreException(file + " cannot be read (" + FileFailure.inWords(e) + "); make it readable", e);
        }
    }
}
