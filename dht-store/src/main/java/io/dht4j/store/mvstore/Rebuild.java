package io.dht4j.store.mvstore;

import io.dht4j.spi.PrivateFiles;
import io.dht4j.spi.RefillMarker;
import io.dht4j.spi.StoreException;
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
 * Begins a damaged store again: its files are put aside, and the node gets its entries back from the other replicas.
 * Nothing is deleted.
 */
public final class Rebuild {

    private static final Logger LOG = LoggerFactory.getLogger(Rebuild.class);
    private static final String HEADER = "dht4j refill 1";
    private static final String EVERYTHING = "everything";
    private static final int MOST_ASIDE = 10_000;

    private Rebuild() {}

    /**
     * Moves a store's files into a new directory {@code damaged-N} within its own, and notes that everything must be
     * refilled. An empty directory, or one that does not exist yet, is marked only: for a disk that was replaced. If a
     * refill is under way and the store can be opened, nothing is moved, and the refill goes on. Blocks. May be
     * repeated when it was interrupted.
     *
     * @param directory of a store that is not open
     * @return where the files are now; empty if there were none, or if a refill goes on
     * @throws StoreException if the directory is in use, holds something that is no store, or cannot be written; the
     *     message says which
     */
    public static Optional<Path> begin(Path directory) {
        if (isUnderWay(directory)) {
            return Optional.empty();
        }
        try (StoreDirectory locked = StoreDirectory.lock(directory)) {
            // First of all: a store that is empty must never be taken for one that has everything.
            write(locked, HEADER + "\n" + EVERYTHING + "\n");
            List<Path> files;
            try (Stream<Path> listed = Files.list(directory)) {
                files = listed.filter(Files::isRegularFile)
                        .filter(file -> StoreDirectory.isStoreFile(String.valueOf(file.getFileName())))
                        .sorted()
                        .toList();
            }
            if (files.isEmpty()) {
                return Optional.empty();
            }
            Path aside = newDirectory(directory);
            for (Path file : files) {
                if (file.endsWith(StoreDirectory.FORMAT_FILE)) {
                    // It stays, or is written again, so that the directory is known as a store's all the time.
                    Files.copy(file, aside.resolve(file.getFileName()));
                } else {
                    Files.move(file, aside.resolve(file.getFileName()), StandardCopyOption.ATOMIC_MOVE);
                }
            }
            locked.writeFormat();
            locked.sync();
            return Optional.of(aside);
        } catch (IOException e) {
            throw new StoreException(
                    directory + ": its files cannot be put aside (" + e + "); make it readable and writable", e);
        }
    }

    private static boolean isUnderWay(Path directory) {
        if (!Files.exists(directory.resolve(StoreDirectory.REFILL_FILE))) {
            return false;
        }
        try {
            MvStore.open(directory, MvStoreOptions.defaults()).close();
            return true;
        } catch (StoreException e) {
            LOG.warn("{} was being refilled, and cannot be opened; it is begun again: {}", directory, e.getMessage());
            return false;
        }
    }

    private static Path newDirectory(Path directory) throws IOException {
        for (int i = 1; i < MOST_ASIDE; i++) {
            Path aside = directory.resolve(StoreDirectory.ASIDE_PREFIX + i);
            if (!Files.exists(aside)) {
                PrivateFiles.createDirectory(aside);
                return aside;
            }
        }
        throw new IOException("there are " + MOST_ASIDE + " directories " + StoreDirectory.ASIDE_PREFIX + "N already");
    }

    /**
     * What a store's directory says must be refilled. Something as long as a rebuild is not complete.
     *
     * @param directory of a store; need not be open yet
     * @return the marker, kept in a file beside the store's
     */
    public static RefillMarker marker(Path directory) {
        Path file = directory.resolve(StoreDirectory.REFILL_FILE);
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
                                StoreDirectory.REFILL_FILE,
                                StandardCharsets.ISO_8859_1.encode(HEADER + "\n" + left + "\n"));
                    }
                } catch (IOException e) {
                    throw new StoreException(file + " cannot be written (" + e + ")", e);
                }
            }
        };
    }

    private static void write(StoreDirectory locked, String text) throws IOException {
        AtomicFile.write(
                locked.disk(), locked.path(), StoreDirectory.REFILL_FILE, StandardCharsets.ISO_8859_1.encode(text));
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
                LOG.warn("{} does not say which partitions must be refilled: all of them are", file);
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
            throw new StoreException(file + " cannot be read (" + e + "); make it readable", e);
        }
    }
}
