package io.dht4j.store.mvstore;

import io.dht4j.spi.PrivateFiles;
import io.dht4j.spi.StoreException;
import io.dht4j.store.log.FileLocks;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store's directory: it is ours, of a format we know, and no other process uses it. Files: {@code LOCK} (empty),
 * {@code FORMAT} (a marker and the format's version), {@code PLACEMENT} (what decides where keys live), {@code data.mv}
 * (the map), {@code log-N.seg} (the log), {@code note-NAME} (what the node remembers of itself), {@code CLOSED} (where
 * the log ended when the store was closed in order), {@code UNTRUSTED} (why the map must not be believed) and
 * {@code REFILL} (what must come from the other replicas).
 */
final class StoreDirectory implements AutoCloseable {

    static final int FORMAT_VERSION = 1;

    private static final Logger LOG = LoggerFactory.getLogger(StoreDirectory.class);

    private static final String FORMAT_MARKER = "dht4j mvstore";
    private static final String LOCK_FILE = "LOCK";
    static final String FORMAT_FILE = "FORMAT";
    private static final String FORMAT_DRAFT = FORMAT_FILE + AtomicFile.DRAFT_SUFFIX;
    private static final String PLACEMENT_FILE = "PLACEMENT";
    private static final Pattern SEGMENT_FILE = Pattern.compile("log-(\\d{1,18})\\.seg");
    private static final int MAX_FORMAT_BYTES = 1024;

    static final String REFILL_FILE = "REFILL";
    static final String ASIDE_PREFIX = "damaged-";
    private static final String DATA_FILE = "data.mv";
    private static final String PROBE_FILE = "probe" + AtomicFile.DRAFT_SUFFIX;
    /** As much as a group of writes may take, and more. */
    static final int PROBE_BYTES = 4 << 20;

    private static final int COPY_BYTES = 1 << 20;

    private final Path directory;
    private final Disk disk;
    private final Forcing forcing;
    private final FileChannel lockChannel;
    private final FileLock lock;
    private final OwnFiles files = new OwnFiles();
    private final NoteFiles nodeNotes = new NoteFiles(this);
    private final StoreNotes notes;

    private StoreDirectory(Path directory, Disk disk, FileChannel lockChannel, FileLock lock) {
        this.directory = directory;
        this.disk = disk;
        this.forcing = new Forcing(disk);
        this.lockChannel = lockChannel;
        this.lock = lock;
        this.notes = new StoreNotes(this);
    }

    /** Opens and locks a directory, which is made if it does not exist. */
    static StoreDirectory open(Path directory) {
        return open(directory, Disk.REAL);
    }

    /** With a disk of one's own. */
    static StoreDirectory open(Path directory, Disk disk) {
        try {
            return Uninterruptibly.call(() -> lockAndCheck(directory, disk));
        } catch (IOException e) {
            String why = Files.isRegularFile(directory) ? "it is a file" : String.valueOf(e);
            throw new StoreException(
                    directory + " cannot be used as a store's directory (" + why + "); "
                            + (Files.isDirectory(directory) && Files.isWritable(directory)
                                    ? disk.remedy(directory)
                                    : "it must be a directory that this process may write"),
                    e);
        }
    }

    /** Locks a directory of a store, whatever state its files are in. */
    static StoreDirectory lock(Path directory) throws IOException {
        return Uninterruptibly.call(() -> {
            make(directory, Disk.REAL);
            if (!Files.exists(directory.resolve(FORMAT_FILE))) {
                refuseForeign(directory, name -> !isStoreFile(name));
            }
            FileChannel channel = openLock(directory, Disk.REAL);
            try {
                return new StoreDirectory(directory, Disk.REAL, channel, tryLock(directory, channel));
            } catch (IOException | RuntimeException | Error e) {
                channel.close();
                throw e;
            }
        });
    }

    private static StoreDirectory lockAndCheck(Path directory, Disk disk) throws IOException {
        make(directory, disk);
        boolean formatted = isFormatted(directory);
        FileChannel channel = openLock(directory, disk);
        try {
            StoreDirectory opened = new StoreDirectory(directory, disk, channel, tryLock(directory, channel));
            opened.files.opened(directory.resolve(LOCK_FILE));
            if (!formatted) {
                opened.writeFormat();
            }
            opened.files.closedIfThere(directory.resolve(FORMAT_FILE));
            opened.files.closedIfThere(directory.resolve(PLACEMENT_FILE));
            return opened;
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    private static FileChannel openLock(Path directory, Disk disk) throws IOException {
        Path file = directory.resolve(LOCK_FILE);
        if (Files.exists(file) && disk.isReadOnly(file)) {
            return FileChannel.open(file, StandardOpenOption.READ);
        }
        PrivateFiles.createIfMissing(file);
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    /**
     * Makes a directory, and those that it is in, for their owner alone where they do not exist, and forces their names
     * to the disk.
     */
    private static void make(Path directory, Disk disk) throws IOException {
        @Nullable Path parent = directory.toAbsolutePath().getParent();
        if (parent == null || Files.exists(directory)) {
            // Throws if it is no directory.
            Files.createDirectories(directory);
            return;
        }
        make(parent, disk);
        PrivateFiles.createDirectories(directory);
        disk.forceNames(parent);
    }

    private static FileLock tryLock(Path directory, FileChannel channel) throws IOException {
        @Nullable FileLock lock;
        try {
            lock = FileLocks.tryLock(channel);
        } catch (OverlappingFileLockException e) {
            throw locked(directory, "this process", e);
        }
        if (lock == null) {
            throw locked(directory, "another process", null);
        }
        return lock;
    }

    static StoreException locked(Path directory, String by, @Nullable Throwable cause) {
        String message = directory + " is locked: " + by + " has the store open; close it, or use another directory";
        return cause == null ? new StoreException(message) : new StoreException(message, cause);
    }

    /** Tells a directory with a store in it from one without anything, and refuses every other one. */
    private static boolean isFormatted(Path directory) throws IOException {
        Path format = directory.resolve(FORMAT_FILE);
        if (!Files.exists(format)) {
            refuseForeign(directory, name -> true);
            return false;
        }
        if (!Files.isRegularFile(format) || Files.size(format) > MAX_FORMAT_BYTES) {
            throw notAFormat(format);
        }
        String text = new String(Files.readAllBytes(format), StandardCharsets.ISO_8859_1);
        Matcher matcher = Pattern.compile(Pattern.quote(FORMAT_MARKER) + " (\\d{1,9})\\s*")
                .matcher(text);
        if (!matcher.matches()) {
            throw notAFormat(format);
        }
        int version = Integer.parseInt(matcher.group(1));
        if (version != FORMAT_VERSION) {
            throw new StoreException(format + ": the store has format version " + version
                    + ", this release reads version "
                    + FORMAT_VERSION + "; use the release that wrote it, or a newer one (or --rebuild, if the file"
                    + " is damaged)");
        }
        return true;
    }

    private static void refuseForeign(Path directory, Predicate<String> isForeign) throws IOException {
        List<String> foreign;
        try (Stream<Path> files = Files.list(directory)) {
            // A lock and a draft may be left of an attempt that was killed before it had written the format.
            foreign = files.map(file -> String.valueOf(file.getFileName()))
                    .filter(name ->
                            !Set.of(LOCK_FILE, FORMAT_DRAFT, REFILL_FILE).contains(name))
                    .filter(name -> !isBeside(name))
                    .filter(isForeign)
                    .sorted()
                    .limit(3)
                    .toList();
        }
        if (foreign.stream().anyMatch(StoreDirectory::isStoreFile)) {
            throw Health.damaged(directory.resolve(FORMAT_FILE), "is missing, though " + foreign + " are there");
        }
        if (!foreign.isEmpty()) {
            throw new StoreException(directory + " is not a store's directory: it has no " + FORMAT_FILE
                    + " file but holds " + foreign + "; use an empty directory");
        }
    }

    /** What a rebuild leaves where it is: hints for other nodes, and what earlier ones have put aside. */
    private static boolean isBeside(String name) {
        return name.equals("hints") || name.startsWith(ASIDE_PREFIX);
    }

    /** Whether a file is of a store, and of no use when the store is made again. */
    static boolean isStoreFile(String name) {
        String base = name.endsWith(AtomicFile.DRAFT_SUFFIX)
                ? name.substring(0, name.length() - AtomicFile.DRAFT_SUFFIX.length())
                : name;
        return Set.of(FORMAT_FILE, PLACEMENT_FILE, DATA_FILE, StoreNotes.END_FILE, StoreNotes.DOUBT_FILE)
                        .contains(base)
                || SEGMENT_FILE.matcher(base).matches()
                || base.startsWith(NoteFiles.PREFIX)
                || name.equals(PROBE_FILE);
    }

    private static StoreException notAFormat(Path format) {
        return new StoreException(
                format + " does not say '" + FORMAT_MARKER + "' and a version: this is not a store's directory,"
                        + " or the file is damaged; use an empty directory, or write '" + FORMAT_MARKER + " "
                        + FORMAT_VERSION + "' into it, or start the server with --rebuild");
    }

    void writeFormat() throws IOException {
        AtomicFile.write(
                disk,
                directory,
                FORMAT_FILE,
                StandardCharsets.ISO_8859_1.encode(FORMAT_MARKER + " " + FORMAT_VERSION + "\n"));
    }

    /**
     * Refuses a store that has lost its map; one whose whole log is there, or that was never made use of, may be
     * without.
     */
    void checkData() throws IOException {
        if (Files.exists(dataFile())) {
            return;
        }
        SortedMap<Long, Path> log = segments();
        if (log.isEmpty() ? Files.exists(directory.resolve(PLACEMENT_FILE)) : log.firstKey() > 1) {
            throw Health.damaged(dataFile(), "is missing");
        }
    }

    /**
     * Keeps the first description of where keys live, and refuses every other one. One thread at a time: all drafts
     * have the same name.
     *
     * @param writable throws if nothing can be written; called only if something must be
     */
    synchronized void bind(String placement, boolean mayBeNew, Runnable writable) {
        Path file = directory.resolve(PLACEMENT_FILE);
        try {
            if (!Files.exists(file)) {
                writable.run();
                if (!mayBeNew) {
                    LOG.warn("{} is missing; it is written again, as this node is set up now: {}", file, placement);
                }
                AtomicFile.write(disk, directory, PLACEMENT_FILE, StandardCharsets.UTF_8.encode(placement + "\n"));
                files.closedIfThere(file);
                return;
            }
            String kept = new String(Files.readAllBytes(file), StandardCharsets.UTF_8).strip();
            if (!kept.equals(placement)) {
                throw new StoreException(file + ": was written by a node with " + kept + "; this one has " + placement
                        + ". Start it with the same settings (or with --rebuild, if the file is damaged), or "
                        + "dump the data from the old cluster and load it into a new"
                        + " one with new directories");
            }
        } catch (IOException e) {
            throw new StoreException(file + " cannot be read or written (" + e + "); " + disk.remedy(directory), e);
        }
    }

    Path path() {
        return directory;
    }

    Disk disk() {
        return disk;
    }

    /** What forces the files that nothing may be lost of. */
    Forcing forcing() {
        return forcing;
    }

    /** The files that are needed at the next start. */
    OwnFiles files() {
        return files;
    }

    /** What the node remembers of itself. */
    NoteFiles nodeNotes() {
        return nodeNotes;
    }

    StoreNotes notes() {
        return notes;
    }

    /** Throws unless a file of some size can be written and forced to the disk. */
    void probe() throws IOException {
        files.check();
        Path file = directory.resolve(PROBE_FILE);
        try (RandomAccessFile out = disk.open(file)) {
            disk.write(out, file, new byte[PROBE_BYTES], 0, PROBE_BYTES);
            disk.force(out, file);
        } catch (ForceFailedException e) {
            // Of this file nothing is needed: it only is too early.
            throw new IOException(e.getMessage(), e.getCause());
        } finally {
            disk.delete(file);
        }
    }

    /**
     * Writes a segment of the log again, and forces it to the disk: a process whose fsync failed may have left a frame
     * in it that is not on the disk, though it can be read.
     */
    void writeAgain(Path segment) throws IOException {
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

    Path dataFile() {
        return directory.resolve(DATA_FILE);
    }

    Path segmentFile(long id) {
        return directory.resolve("log-" + id + ".seg");
    }

    /** The log's segments by their numbers. */
    SortedMap<Long, Path> segments() throws IOException {
        SortedMap<Long, Path> segments = new TreeMap<>();
        List<Path> files = new ArrayList<>();
        try (Stream<Path> listed = Files.list(directory)) {
            listed.forEach(files::add);
        }
        for (Path file : files) {
            Matcher matcher = SEGMENT_FILE.matcher(String.valueOf(file.getFileName()));
            if (matcher.matches()) {
                segments.put(Long.parseLong(matcher.group(1)), file);
            }
        }
        return segments;
    }

    /** Forces the names of files that were made or deleted to the disk. */
    void sync() throws IOException {
        forcing.names(directory);
    }

    /** Releases the lock. */
    @Override
    public void close() {
        try {
            Uninterruptibly.call(() -> {
                if (lockChannel.isOpen()) {
                    lock.release();
                    lockChannel.close();
                }
                return directory;
            });
        } catch (IOException e) {
            throw new StoreException(directory.resolve(LOCK_FILE) + " cannot be released (" + e + ")", e);
        }
    }
}
