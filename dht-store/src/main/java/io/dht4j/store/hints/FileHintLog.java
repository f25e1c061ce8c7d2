package io.dht4j.store.hints;

import static java.util.Objects.requireNonNull;

import io.dht4j.NodeId;
import io.dht4j.spi.Entry;
import io.dht4j.spi.FileFailure;
import io.dht4j.spi.HintLog;
import io.dht4j.spi.PrivateFiles;
import io.dht4j.spi.StoreException;
import io.dht4j.store.log.FileIdentity;
import io.dht4j.store.log.FileLocks;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A hint log in files: for each node a directory of segments that are appended to, and deleted when all their hints
 * were delivered. Kept hints survive {@code kill -9}, and mostly a loss of power. Hints are not forced to the disk,
 * because losing some breaks no promise. Damage is skipped, logged and counted.
 *
 * <p>Safe for use by any number of threads and under interrupts.
 */
public final class FileHintLog implements HintLog {

    /** The least value of the bound on a log: 1 MiB. */
    public static final long MIN_BYTES = 1L << 20;

    private static final String LOCK_FILE = "LOCK";
    /** The prefix of the nodes' directories, so that none has the name of the lock. */
    private static final String PREFIX = "for-";

    private final Path directory;
    private final long maxBytes;
    private final RandomAccessFile lockFile;
    private final FileLock lock;
    /**
     * The identity of the lock file. The file is always open, so it reveals whether the directory is still the one that
     * was opened.
     */
    private final FileIdentity identity;

    private final HintBytes bytes = new HintBytes();
    private final Map<NodeId, HintQueue> queues = new ConcurrentHashMap<>();
    private volatile long checkedNanos = System.nanoTime();
    private volatile boolean closed;

    private FileHintLog(
            Path directory, long maxBytes, RandomAccessFile lockFile, FileLock lock, FileIdentity identity) {
        this.directory = directory;
        this.maxBytes = maxBytes;
        this.lockFile = lockFile;
        this.lock = lock;
        this.identity = identity;
    }

    /**
     * Opens the log in a directory, which is made if it does not exist. Blocks.
     *
     * @param directory of this log alone
     * @param maxBytes how much it may hold for all nodes together, {@link #MIN_BYTES} or more; its present contents may
     *     be larger
     * @return the log, to be closed
     * @throws IllegalArgumentException if {@code maxBytes} is out of range
     * @throws StoreException if the directory cannot be read or written, or is in use
     */
    public static FileHintLog open(Path directory, long maxBytes) {
        requireNonNull(directory, "directory");
        if (maxBytes < MIN_BYTES) {
            throw new IllegalArgumentException("a log of hints needs " + MIN_BYTES + " bytes or more, not " + maxBytes);
        }
        try {
            PrivateFiles.createDirectories(directory);
            Path lockPath = directory.resolve(LOCK_FILE);
            RandomAccessFile lockFile = openLock(lockPath);
            try {
                FileHintLog log = new FileHintLog(
                        directory,
                        maxBytes,
                        lockFile,
                        lock(directory, lockFile),
                        FileIdentity.of(directory.resolve(LOCK_FILE)));
                log.findQueues();
                return log;
            } catch (IOException | RuntimeException e) {
                lockFile.close();
                throw e;
            }
        } catch (IOException e) {
            throw new StoreException(
                    directory + " cannot be used for hints (" + FileFailure.inWords(e)
                            + "); it must be a directory that this process may write",
                    e);
        }
    }

    /**
     * Opens the lock file. On a file system that is mounted read-only, the present hints can be handed over, and none
     * are kept.
     */
    private static RandomAccessFile openLock(Path file) throws IOException {
        if (Files.exists(file) && Files.getFileStore(file).isReadOnly()) {
            return new RandomAccessFile(file.toFile(), "r");
        }
        PrivateFiles.createIfMissing(file);
        return new RandomAccessFile(file.toFile(), "rw");
    }

    private static FileLock lock(Path directory, RandomAccessFile lockFile) throws IOException {
        @Nullable FileLock lock;
        try {
            lock = FileLocks.tryLock(lockFile.getChannel());
        } catch (OverlappingFileLockException e) {
            throw new StoreException(directory + " is locked: this process has the log of hints open", e);
        }
        if (lock == null) {
            throw new StoreException(directory + " is locked: another process has the log of hints open");
        }
        return lock;
    }

    private void findQueues() throws IOException {
        List<Path> found;
        try (Stream<Path> listed = Files.list(directory)) {
            // Others, such as lost+found, may be closed to this process.
            found = listed.filter(
                            file -> String.valueOf(file.getFileName()).startsWith(PREFIX) && Files.isDirectory(file))
                    .toList();
        }
        for (Path each : found) {
            HintQueue queue = HintQueue.open(each, bytes);
            if (!queue.isEmpty()) {
                queues.put(new NodeId(String.valueOf(each.getFileName()).substring(PREFIX.length())), queue);
            }
        }
    }

    @Override
    public boolean add(NodeId target, List<Entry> entries, long nowMillis) {
        checkOpen();
        long size = HintQueue.frameBytes(entries);
        if (bytes.held.get() + size > maxBytes) {
            return false;
        }
        checkDirectory();
        queues.computeIfAbsent(target, node -> new HintQueue(directory.resolve(PREFIX + node.value()), bytes))
                .add(entries, nowMillis);
        return true;
    }

    @Override
    public Set<NodeId> targets() {
        checkOpen();
        return queues.entrySet().stream()
                .filter(queue -> !queue.getValue().isEmpty())
                .map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public Batch oldest(NodeId target, int maxBytes) {
        checkOpen();
        HintQueue queue = queues.get(target);
        return queue == null ? new Batch(List.of(), 0) : queue.oldest(maxBytes);
    }

    @Override
    public void delivered(NodeId target, Batch batch) {
        checkOpen();
        HintQueue queue = queues.get(target);
        if (queue != null) {
            queue.delivered(batch.end());
        }
    }

    @Override
    public long expire(long beforeMillis) {
        checkOpen();
        long forgotten = 0;
        List<StoreException> failures = new ArrayList<>();
        for (HintQueue queue : queues.values()) {
            try {
                forgotten += queue.expire(beforeMillis);
            } catch (StoreException e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            bytes.lost.addAndGet(forgotten);
            throw together(failures);
        }
        return forgotten;
    }

    private static StoreException together(List<StoreException> failures) {
        StoreException first = failures.remove(0);
        failures.forEach(first::addSuppressed);
        return first;
    }

    @Override
    public long lostBytes() {
        return bytes.lost.get();
    }

    @Override
    public long bytes() {
        return bytes.held.get();
    }

    /** Checks the directory periodically: hints in removed files would be counted as kept. */
    private void checkDirectory() {
        if (System.nanoTime() - checkedNanos < HintQueue.UNCHECKED_NANOS) {
            return;
        }
        try {
            Optional<String> loss = identity.loss();
            if (loss.isPresent()) {
                throw new StoreException("hints cannot be kept: " + identity.path() + " " + loss.get()
                        + "; put the directory back and start again");
            }
            checkedNanos = System.nanoTime();
        } catch (IOException e) {
            throw new StoreException(
                    "hints cannot be kept: " + identity.path() + " cannot be looked at (" + FileFailure.inWords(e)
                            + ")",
                    e);
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new StoreException("the log of hints in " + directory + " is closed");
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        List<StoreException> failures = new ArrayList<>();
        for (HintQueue queue : queues.values()) {
            try {
                queue.close();
            } catch (StoreException e) {
                failures.add(e);
            }
        }
        try {
            lock.release();
            lockFile.close();
        } catch (IOException e) {
            failures.add(new StoreException(
                    directory.resolve(LOCK_FILE) + " cannot be released (" + FileFailure.inWords(e) + ")", e));
        }
        if (!failures.isEmpty()) {
            throw together(failures);
        }
    }
}
