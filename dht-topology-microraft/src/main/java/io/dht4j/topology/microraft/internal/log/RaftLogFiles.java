package io.dht4j.topology.microraft.internal.log;

import io.dht4j.spi.FileFailure;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.PrivateFiles;
import io.dht4j.spi.StoreException;
import io.dht4j.store.disk.AtomicFile;
import io.dht4j.store.disk.Disk;
import io.dht4j.store.disk.Uninterruptibly;
import io.dht4j.topology.microraft.internal.codec.RaftMember;
import io.dht4j.topology.microraft.internal.codec.Records;
import io.microraft.model.log.LogEntry;
import io.microraft.model.log.RaftGroupMembersView;
import io.microraft.model.log.SnapshotChunk;
import io.microraft.model.persistence.RaftEndpointPersistentState;
import io.microraft.model.persistence.RaftTermPersistentState;
import io.microraft.persistence.RaftStore;
import io.microraft.persistence.RestoredRaftState;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Raft's state on the disk: {@code raft-N.log} with the newest snapshot, term and vote, and all later records, and an
 * empty {@code LOCK}. A new snapshot begins the file {@code raft-N+1.log}, which appears atomically, with all records
 * of the old one that are still needed; then the old one is deleted.
 *
 * <p>Records are collected, and written and forced as one frame: at once for terms, votes and members, and in
 * {@link #flush()} for entries. So everything that MicroRaft reports to others is on the disk.
 *
 * <p>Fail-stop: after a failed write or fsync the content of the disk is unknown, and a second fsync does not change
 * that. The first failure of any kind is final: every later call fails, and {@link #isPoisoned()} is true before the
 * call returns. MicroRaft only logs such failures and continues, so the sender of its messages must check that first.
 *
 * <p>Methods block, and are called by one thread at a time; {@link #isPoisoned()} and {@link #durableIndex()} by any.
 */
public final class RaftLogFiles implements RaftStore, AutoCloseable {

    private final Path directory;
    private final Disk disk;
    private final FileChannel lockChannel;
    private final RestoredState state = new RestoredState();
    private final List<byte[]> unwritten = new ArrayList<>();
    private final SnapshotParts parts = new SnapshotParts();

    private boolean isNew;
    private long number;
    private @Nullable LogFile file;
    private long lengthWithSnapshot;
    private Consumer<String> failure = reason -> {};
    private boolean appending = true;
    private volatile boolean poisoned;
    private volatile long durableIndex;

    private RaftLogFiles(Path directory, Disk disk, FileChannel lockChannel) {
        this.directory = directory;
        this.disk = disk;
        this.lockChannel = lockChannel;
    }

    /**
     * Opens the log of a member, which may be empty.
     *
     * @param directory created if it does not exist; its parent must exist
     * @param disk the disk
     * @param self whose log it must be
     * @return the log; its restored state is forced to the disk
     * @throws StoreException if it cannot be read or written, is damaged, in use, or another member's
     */
    public static RaftLogFiles open(Path directory, Disk disk, NodeRef self) {
        try {
            return Uninterruptibly.call(() -> openOnce(directory, disk, self));
        } catch (IOException e) {
            String remedy =
                    Files.isDirectory(directory) ? disk.remedy(directory) : "make its parent directory writable";
            throw new StoreException(
                    "the log of the topology in " + directory + " cannot be opened (" + FileFailure.inWords(e) + "); "
                            + remedy,
                    e);
        }
    }

    private static RaftLogFiles openOnce(Path directory, Disk disk, NodeRef self) throws IOException {
        if (!Files.isDirectory(directory)) {
            PrivateFiles.createDirectory(directory);
        }
        @Nullable Path parent = directory.toAbsolutePath().getParent();
        if (parent != null) {
            disk.forceNames(parent);
        }
        FileChannel lock = LogDirectory.lock(directory);
        RaftLogFiles files = new RaftLogFiles(directory, disk, lock);
        boolean done = false;
        try {
            files.recover();
            files.requireMember(self);
            if (files.isNew) {
                // A later start must see that there was a log, even if this member fails now.
                files.beginFile();
            }
            done = true;
            return files;
        } finally {
            if (!done) {
                files.close();
            }
        }
    }

    private void recover() throws IOException {
        NavigableMap<Long, Path> found = LogDirectory.clean(directory, disk);
        isNew = found.isEmpty();
        if (!isNew) {
            number = found.lastKey();
            Path path = found.lastEntry().getValue();
            LogFile recovered = LogFile.recover(disk, path, number, state);
            file = recovered;
            requireWholeSnapshot(path);
            lengthWithSnapshot = recovered.length();
            durableIndex = state.lastIndex();
            disk.forceNames(directory);
            // The others are older than the newest file, which is complete.
            for (Path old : found.headMap(number).values()) {
                disk.delete(old);
            }
        }
    }

    private void requireWholeSnapshot(Path path) {
        if (!state.chunks.isEmpty()
                && state.chunks.size() != state.chunks.get(0).getSnapshotChunkCount()) {
            throw new StoreException(path + " is damaged: its snapshot has " + state.chunks.size() + " of "
                    + state.chunks.get(0).getSnapshotChunkCount()
                    + " parts" + FrameFile.WAY_OUT);
        }
    }

    private void requireMember(NodeRef self) {
        if (state.self != null && !state.self.getLocalEndpoint().equals(new RaftMember(self))) {
            throw new StoreException(directory + " is the log of the member "
                    + state.self.getLocalEndpoint().getId() + ", and this node is " + self
                    + "; use the directory of this node, or an empty one");
        }
    }

    /** Sets the listener of a failure of the log. It is called once, with one line for people. */
    public void onFailure(Consumer<String> listener) {
        failure = listener;
    }

    /** Returns whether the directory had no log. Then it has one now. */
    public boolean isNew() {
        return isNew;
    }

    /** Returns what earlier processes have left; empty if no member has started here. */
    public Optional<RestoredRaftState> restored() {
        return state.restored();
    }

    /** Returns the index of the newest snapshot on the disk; 0 if there is none. */
    public long snapshotIndex() {
        return state.snapshotIndex();
    }

    /** Returns the index of the last entry that is on the disk with all before it; 0 if there is none. */
    public long durableIndex() {
        return durableIndex;
    }

    /** Returns whether the log has an entry behind the snapshot, and of this term. */
    public boolean hasEntry(long index, int term) {
        LogEntry entry = state.entries.get(index);
        return entry != null && entry.getTerm() == term;
    }

    /** Returns whether the log has an entry behind the snapshot, and of another term. */
    public boolean hasOtherEntry(long index, int term) {
        LogEntry entry = state.entries.get(index);
        return entry != null && entry.getTerm() != term;
    }

    /** Returns whether a part is the last one that misses of its snapshot. */
    public boolean completes(SnapshotChunk part) {
        return parts.completes(part);
    }

    /** Runs an action that appends entries that are not agreed, and keeps these off the disk. */
    public void withoutAppends(Runnable work) {
        appending = false;
        try {
            work.run();
        } finally {
            appending = true;
        }
    }

    /** Returns how many bytes were written since the newest snapshot. */
    public long bytesSinceSnapshot() {
        LogFile current = file;
        return current == null ? 0 : current.length() - lengthWithSnapshot;
    }

    /** Returns whether a write or fsync has failed: then this member must send no further message. */
    public boolean isPoisoned() {
        return poisoned;
    }

    @Override
    public void persistAndFlushLocalEndpoint(RaftEndpointPersistentState self) throws IOException {
        RaftEndpointPersistentState before = state.self;
        if (before == null || before.isVoting() != self.isVoting()) {
            guarded(() -> {
                state.self(self);
                unwritten.add(Records.self(self));
                write();
            });
        }
    }

    @Override
    public void persistAndFlushInitialGroupMembers(RaftGroupMembersView members) throws IOException {
        if (state.initialMembers == null) {
            guarded(() -> {
                state.initialMembers(members);
                unwritten.add(Records.initialMembers(members));
                write();
            });
        }
    }

    @Override
    public void persistAndFlushTerm(RaftTermPersistentState term) throws IOException {
        guarded(() -> {
            state.term(term);
            unwritten.add(Records.term(term));
            // With the entries that were not flushed: a new leader counts all of its log as flushed.
            write();
        });
    }

    @Override
    public void persistLogEntries(List<LogEntry> entries) throws IOException {
        guarded(() -> {
            if (appending) {
                for (LogEntry entry : entries) {
                    state.entries.put(entry.getIndex(), entry);
                    unwritten.add(Records.entry(entry));
                }
            }
        });
    }

    @Override
    public void truncateLogEntriesFrom(long index) throws IOException {
        guarded(() -> {
            durableIndex = Math.min(durableIndex, index - 1);
            state.cutFrom(index);
            unwritten.add(Records.cutFrom(index));
        });
    }

    /** The parts are collected; the last one writes them all, into a new file. */
    @Override
    public void persistSnapshotChunk(SnapshotChunk chunk) throws IOException {
        guarded(() -> {
            List<SnapshotChunk> all = parts.add(chunk);
            if (!all.isEmpty()) {
                state.snapshot(all);
                beginFile();
            }
        });
    }

    @Override
    public void deleteSnapshotChunks(long index, int count) {
        parts.drop(index);
    }

    /** Does nothing: the file of a snapshot contains only later records. */
    @Override
    public void truncateLogEntriesUntil(long index) {}

    @Override
    public void flush() throws IOException {
        guarded(this::write);
    }

    private void write() throws IOException {
        if (unwritten.isEmpty()) {
            return;
        }
        LogFile current = file;
        if (current == null) {
            throw new IOException("the log is closed");
        }
        current.append(FrameFile.frames(unwritten));
        unwritten.clear();
        durableIndex = state.lastIndex();
    }

    /** Begins a file with the whole state. */
    private void beginFile() throws IOException {
        long next = number + 1;
        Path path = path(next);
        Path draft = directory.resolve(path.getFileName() + AtomicFile.DRAFT_SUFFIX);
        long written;
        try (RandomAccessFile out = disk.open(draft)) {
            disk.truncate(out, draft, 0);
            disk.write(out, draft, FrameFile.header(next), 0, FrameFile.HEADER_BYTES);
            written = FrameFile.HEADER_BYTES;
            for (byte[] frame : FrameFile.frames(state.records())) {
                disk.write(out, draft, frame, 0, frame.length);
                written += frame.length;
            }
            disk.force(out, draft);
        }
        disk.rename(draft, path);
        disk.forceNames(directory);
        LogFile old = file;
        file = null;
        if (old != null) {
            old.close();
            disk.delete(path(number));
        }
        file = LogFile.open(disk, path, written);
        number = next;
        lengthWithSnapshot = written;
        unwritten.clear();
        durableIndex = state.lastIndex();
    }

    private Path path(long of) {
        return LogDirectory.file(directory, of);
    }

    private void requireHealthy() throws IOException {
        if (poisoned) {
            throw new IOException("the log of the topology in " + directory + " has failed before");
        }
    }

    private interface Io {
        void run() throws IOException;
    }

    /**
     * An exception during a change of the log makes it differ from the engine's, which only logs the exception and
     * continues.
     */
    private void guarded(Io work) throws IOException {
        requireHealthy();
        boolean done = false;
        try {
            work.run();
            done = true;
        } catch (IOException e) {
            poisoned = true;
            failure.accept("the log of the topology in " + directory + " cannot be written (" + FileFailure.inWords(e)
                    + "): " + disk.remedy(directory) + ", then start the node again");
            throw e;
        } finally {
            if (!done && !poisoned) {
                poisoned = true;
                failure.accept("the log of the topology in " + directory
                        + " cannot be written, because of an error of this process: start the node again");
            }
        }
    }

    /** Releases the files without writing. Later calls fail. */
    @Override
    public void close() throws IOException {
        poisoned = true;
        LogFile current = file;
        file = null;
        try {
            if (current != null) {
                current.close();
            }
        } finally {
            lockChannel.close();
        }
    }
}
