package io.dht4j.topology.microraft.internal.log;

import io.dht4j.spi.PrivateFiles;
import io.dht4j.spi.StoreException;
import io.dht4j.store.disk.AtomicFile;
import io.dht4j.store.disk.Disk;
import io.dht4j.store.log.FileLocks;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The names in the directory of a log, and its lock. Blocks. */
final class LogDirectory {

    private static final Pattern FILE = Pattern.compile("raft-(\\d{1,18})\\.log");
    private static final String LOCK_FILE = "LOCK";

    private LogDirectory() {}

    /** Returns the path of a file of the log. */
    static Path file(Path directory, long number) {
        return directory.resolve("raft-" + number + ".log");
    }

    /**
     * Locks a directory until the channel is closed.
     *
     * @throws StoreException if another log is open there
     */
    static FileChannel lock(Path directory) throws IOException {
        Path path = directory.resolve(LOCK_FILE);
        PrivateFiles.createIfMissing(path);
        FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE);
        @Nullable FileLock lock = null;
        try {
            lock = FileLocks.tryLock(channel);
        } catch (OverlappingFileLockException e) {
            // As if another process had it.
        } finally {
            if (lock == null) {
                channel.close();
            }
        }
        if (lock == null) {
            throw new StoreException(directory + " is locked: another log of the topology is open there, in this"
                    + " process or another; close it, or use another directory");
        }
        return channel;
    }

    /** Deletes drafts that an earlier process has left, and returns the files of the log by number. */
    static NavigableMap<Long, Path> clean(Path directory, Disk disk) throws IOException {
        NavigableMap<Long, Path> found = new TreeMap<>();
        List<Path> drafts = new ArrayList<>();
        try (Stream<Path> listed = Files.list(directory)) {
            for (Path path : listed.toList()) {
                String name = String.valueOf(path.getFileName());
                Matcher matcher = FILE.matcher(name);
                if (matcher.matches()) {
                    found.put(Long.parseLong(matcher.group(1)), path);
                } else if (name.endsWith(AtomicFile.DRAFT_SUFFIX)) {
                    drafts.add(path);
                }
            }
        }
        for (Path draft : drafts) {
            disk.delete(draft);
        }
        return found;
    }
}
