package io.dht4j.store.mvstore.internal.disk;

import io.dht4j.spi.FileFailure;
import io.dht4j.spi.PrivateFiles;
import io.dht4j.spi.StoreException;
import io.dht4j.store.disk.AtomicFile;
import io.dht4j.store.disk.Disk;
import io.dht4j.store.disk.FsyncFailedException;
import io.dht4j.store.disk.Uninterruptibly;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The locked directory of a store, whose files {@link DirectoryFormat} lists. Safe for use by any number of threads;
 * methods block on the disk.
 */
public final class StoreDirectory implements AutoCloseable {

    /** The size of a probe of the disk: more than a group of writes. */
    public static final int PROBE_BYTES = Disk.LEAST_FREE_BYTES;

    /** Separates the parts of a description of the placement; those in brackets belong together. */
    private static final Pattern SEPARATOR = Pattern.compile(", (?![^(]*\\))");

    private static final Pattern NODES = Pattern.compile("[0-9]+ nodes \\((.*)\\)");

    private static final Logger LOG = LoggerFactory.getLogger(StoreDirectory.class);

    private static final int COPY_BYTES = 1 << 20;

    private final Path directory;
    private final Disk disk;
    private final Fsync fsync;
    private final DirectoryLock lock;
    private final TrackedFiles files = new TrackedFiles();
    private final MetadataFiles metadata = new MetadataFiles(this);
    private final CleanShutdown shutdown = new CleanShutdown(this);
    private final UntrustedMarker untrusted;

    private StoreDirectory(Path directory, Disk disk, DirectoryLock lock) {
        this.directory = directory;
        this.disk = disk;
        this.fsync = new Fsync(disk);
        this.lock = lock;
        this.untrusted = new UntrustedMarker(this);
    }

    /**
     * Opens and locks a directory, which is created if it does not exist.
     *
     * @param directory a store's, or an empty one
     * @param disk the access that changes its files
     * @return the directory
     * @throws StoreException if it is locked, is not a store's, has another format, or cannot be used
     */
    public static StoreDirectory open(Path directory, Disk disk) {
        try {
            return Uninterruptibly.call(() -> lockAndCheck(directory, disk));
        } catch (IOException e) {
            String why = Files.isRegularFile(directory) ? "it is a file" : FileFailure.inWords(e);
            throw new StoreException(
                    directory + " cannot be used as a store's directory (" + why + "); "
                            + (Files.isDirectory(directory) && Files.isWritable(directory)
                                    ? disk.remedy(directory)
                                    : "it must be a directory that this process may write"),
                    e);
        }
    }

    /**
     * Locks the directory of a store, whose files may be damaged.
     *
     * @param directory a store's, or an empty one
     * @return the directory
     * @throws StoreException if it is locked, or is not a store's
     * @throws IOException if it cannot be used
     */
    public static StoreDirectory lock(Path directory) throws IOException {
        return Uninterruptibly.call(() -> {
            make(directory, Disk.REAL);
            if (!Files.exists(directory.resolve(DirectoryFormat.FORMAT_FILE))) {
                DirectoryFormat.requireNoOther(directory, name -> !DirectoryFormat.isStoreFile(name));
            }
            return new StoreDirectory(directory, Disk.REAL, DirectoryLock.acquire(directory, Disk.REAL));
        });
    }

    private static StoreDirectory lockAndCheck(Path directory, Disk disk) throws IOException {
        make(directory, disk);
        boolean formatted = DirectoryFormat.isFormatted(directory);
        DirectoryLock lock = DirectoryLock.acquire(directory, disk);
        try {
            StoreDirectory opened = new StoreDirectory(directory, disk, lock);
            opened.files.opened(directory.resolve(DirectoryFormat.LOCK_FILE));
            if (!formatted) {
                opened.writeFormat();
            }
            opened.files.closedIfThere(directory.resolve(DirectoryFormat.FORMAT_FILE));
            opened.files.closedIfThere(directory.resolve(DirectoryFormat.PLACEMENT_FILE));
            return opened;
        } catch (IOException | RuntimeException | Error e) {
            lock.close();
            throw e;
        }
    }

    /**
     * Makes a directory and its parents, for their owner alone where they do not exist, and forces their names to the
     * disk.
     */
    private static void make(Path directory, Disk disk) throws IOException {
        @Nullable Path parent = directory.toAbsolutePath().getParent();
        if (parent == null || Files.exists(directory)) {
            // Throws if it is no directory.
            PrivateFiles.createDirectories(directory);
            return;
        }
        make(parent, disk);
        PrivateFiles.createDirectories(directory);
        disk.forceNames(parent);
    }

    /**
     * Writes the file that makes the directory a store's.
     *
     * @throws IOException if it cannot be written
     */
    public void writeFormat() throws IOException {
        DirectoryFormat.write(disk, directory);
    }

    /**
     * Refuses a store that has lost its map. A store whose whole log is there, or that was never used, may be without.
     *
     * @throws StoreException if the map is lost
     * @throws IOException if the directory cannot be read
     */
    public void checkData() throws IOException {
        if (Files.exists(dataFile())) {
            return;
        }
        SortedMap<Long, Path> log = segments();
        boolean isLost =
                log.isEmpty() ? Files.exists(directory.resolve(DirectoryFormat.PLACEMENT_FILE)) : log.firstKey() > 1;
        if (isLost) {
            throw Health.damaged(dataFile(), "is missing");
        }
    }

    /**
     * Stores the first description of the placement of keys, and refuses any other one. Synchronized, because all
     * drafts of the file have the same name.
     *
     * @param placement the description
     * @param mayBeNew whether the store is empty
     * @param writable throws if writing is impossible; called only if the file must be written
     * @throws StoreException if the directory has another description
     */
    public synchronized void bind(String placement, boolean mayBeNew, Runnable writable) {
        Path file = directory.resolve(DirectoryFormat.PLACEMENT_FILE);
        try {
            if (!Files.exists(file)) {
                writable.run();
                if (!mayBeNew) {
                    LOG.warn("{} is missing; it is written again, as this node is set up now: {}", file, placement);
                }
                AtomicFile.write(
                        disk,
                        directory,
                        DirectoryFormat.PLACEMENT_FILE,
                        StandardCharsets.UTF_8.encode(placement + "\n"));
                files.closedIfThere(file);
                return;
            }
            String kept = new String(Files.readAllBytes(file), StandardCharsets.UTF_8).strip();
            if (!kept.equals(placement)) {
                throw new StoreException(file + " is that of a node with " + difference(kept, placement)
                        + "; this one has " + difference(placement, kept)
                        + ". Use another directory, or the same settings; if the file is damaged, " + Health.REFILL);
            }
        } catch (IOException e) {
            throw new StoreException(
                    file + " cannot be read or written (" + FileFailure.inWords(e) + "); " + disk.remedy(directory), e);
        }
    }

    /** Returns the parts of a description that another one lacks. */
    private static String difference(String description, String other) {
        List<String> others = parts(other);
        List<String> own = new ArrayList<>();
        for (String part : parts(description)) {
            // The fingerprint depends on the other parts, and says nothing to people.
            if (!others.contains(part) && (own.isEmpty() || !part.startsWith("fingerprint "))) {
                own.add(NODES.matcher(part).matches() ? nodes(part, others) : part);
            }
        }
        return own.isEmpty() ? description : String.join(", ", own);
    }

    private static List<String> parts(String description) {
        return SEPARATOR.splitAsStream(description).toList();
    }

    /** Returns the number of nodes, and those that another description lacks. */
    private static String nodes(String part, List<String> others) {
        List<String> known = others.stream().flatMap(StoreDirectory::names).toList();
        List<String> own = names(part).filter(name -> !known.contains(name)).toList();
        String count = part.startsWith("1 ") ? "1 node" : part.substring(0, part.indexOf(" ("));
        return own.isEmpty() ? count : count + " with " + String.join(" and ", own);
    }

    private static Stream<String> names(String part) {
        Matcher nodes = NODES.matcher(part);
        return nodes.matches() ? SEPARATOR.splitAsStream(nodes.group(1)) : Stream.of();
    }

    /** Returns the directory's path. */
    public Path path() {
        return directory;
    }

    /** Returns the access that changes the files. */
    public Disk disk() {
        return disk;
    }

    /** Returns the fsync of the files that a write must survive in. */
    public Fsync fsync() {
        return fsync;
    }

    /** Returns the files that the next start needs. */
    public TrackedFiles files() {
        return files;
    }

    /** Returns the node's metadata. */
    public MetadataFiles metadata() {
        return metadata;
    }

    /** Returns the record of a clean shutdown. */
    public CleanShutdown shutdown() {
        return shutdown;
    }

    /** Returns the marker of a map that is not trusted. */
    public UntrustedMarker untrusted() {
        return untrusted;
    }

    /**
     * Writes a file of some size, forces it to the disk, and deletes it.
     *
     * @throws IOException if one of that fails
     */
    public void probe() throws IOException {
        files.check();
        Path file = directory.resolve(DirectoryFormat.PROBE_FILE);
        try (RandomAccessFile out = disk.open(file)) {
            disk.write(out, file, new byte[PROBE_BYTES], 0, PROBE_BYTES);
            disk.force(out, file);
        } catch (FsyncFailedException e) {
            // The probe contains no data that could be lost: the disk just has not recovered yet.
            throw new IOException(e.getMessage(), e.getCause());
        } finally {
            disk.delete(file);
        }
    }

    /**
     * Writes a segment of the log again, and forces it to the disk. A process whose fsync failed may have left a frame
     * in it that can be read, but is not on the disk.
     *
     * @param segment its file
     * @throws IOException if it cannot be written
     */
    public void rewriteSegment(Path segment) throws IOException {
        Path draft = directory.resolve(segment.getFileName() + AtomicFile.DRAFT_SUFFIX);
        byte[] buffer = new byte[COPY_BYTES];
        try (RandomAccessFile in = new RandomAccessFile(segment.toFile(), "r");
                RandomAccessFile out = disk.open(draft)) {
            disk.truncate(out, draft, 0);
            int count;
            while ((count = in.read(buffer)) > 0) {
                disk.write(out, draft, buffer, 0, count);
            }
            disk.force(out, draft);
        }
        disk.rename(draft, segment);
        sync();
    }

    /** Returns the path of the map's file. */
    public Path dataFile() {
        return directory.resolve(DirectoryFormat.DATA_FILE);
    }

    /** Returns the path of a segment of the log. */
    public Path segmentFile(long id) {
        return directory.resolve(DirectoryFormat.segmentFile(id));
    }

    /**
     * Lists the log's segments.
     *
     * @return their files by their numbers
     * @throws IOException if the directory cannot be read
     */
    public SortedMap<Long, Path> segments() throws IOException {
        List<Path> listed;
        try (Stream<Path> list = Files.list(directory)) {
            listed = list.toList();
        }
        SortedMap<Long, Path> segments = new TreeMap<>();
        for (Path file : listed) {
            DirectoryFormat.segmentOf(file).ifPresent(id -> segments.put(id, file));
        }
        return segments;
    }

    /**
     * Returns the size of the log's segments.
     *
     * @throws IOException if the directory cannot be read
     */
    public long logBytes() throws IOException {
        long bytes = 0;
        for (Path segment : segments().values()) {
            // 0 for a segment that was merged and deleted in between.
            bytes += segment.toFile().length();
        }
        return bytes;
    }

    /**
     * Forces the names of files that were made or deleted to the disk.
     *
     * @throws IOException if that fails
     */
    public void sync() throws IOException {
        fsync.names(directory);
    }

    /** Releases the lock. */
    @Override
    public void close() {
        try {
            Uninterruptibly.call(() -> {
                lock.close();
                return directory;
            });
        } catch (IOException e) {
            throw new StoreException(
                    directory.resolve(DirectoryFormat.LOCK_FILE) + " cannot be released (" + FileFailure.inWords(e)
                            + ")",
                    e);
        }
    }
}
