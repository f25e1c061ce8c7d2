package io.dht4j.topology.microraft.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.NodeId;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.StoreException;
import io.dht4j.store.disk.Disk;
import io.dht4j.topology.microraft.internal.codec.RaftMember;
import io.microraft.RaftEndpoint;
import io.microraft.model.RaftModelFactory;
import io.microraft.model.impl.DefaultRaftModelFactory;
import io.microraft.model.log.LogEntry;
import io.microraft.model.log.SnapshotChunk;
import io.microraft.persistence.RestoredRaftState;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RaftLogFilesTest {

    static final NodeRef SELF = new NodeRef(new NodeId("n1"), new UUID(1, 1));
    static final NodeRef OTHER = new NodeRef(new NodeId("n2"), new UUID(2, 2));

    private static final RaftModelFactory MODEL = new DefaultRaftModelFactory();

    @TempDir
    Path root;

    private final List<Path> synced = new ArrayList<>();

    private final Disk disk = new Disk() {
        @Override
        public void sync(RandomAccessFile file, Path path) throws IOException {
            synced.add(path);
            super.sync(file, path);
        }
    };

    private RaftLogFiles open() {
        return RaftLogFiles.open(root.resolve("log"), disk, SELF);
    }

    static void begin(RaftLogFiles files) throws IOException {
        List<RaftEndpoint> members = RaftMember.of(List.of(SELF, OTHER));
        files.persistAndFlushLocalEndpoint(MODEL.createRaftEndpointPersistentStateBuilder()
                .setLocalEndpoint(new RaftMember(SELF))
                .setVoting(true)
                .build());
        files.persistAndFlushInitialGroupMembers(MODEL.createRaftGroupMembersViewBuilder()
                .setLogIndex(0)
                .setMembers(members)
                .setVotingMembers(members)
                .build());
    }

    static void vote(RaftLogFiles files, int term) throws IOException {
        files.persistAndFlushTerm(MODEL.createRaftTermPersistentStateBuilder()
                .setTerm(term)
                .setVotedFor(new RaftMember(OTHER))
                .build());
    }

    static LogEntry entry(int term, long index, byte[] command) {
        return MODEL.createLogEntryBuilder()
                .setTerm(term)
                .setIndex(index)
                .setOperation(command)
                .build();
    }

    static List<SnapshotChunk> snapshot(int term, long index, byte[]... parts) {
        List<SnapshotChunk> chunks = new ArrayList<>();
        for (int i = 0; i < parts.length; i++) {
            chunks.add(MODEL.createSnapshotChunkBuilder()
                    .setTerm(term)
                    .setIndex(index)
                    .setSnapshotChunkIndex(i)
                    .setSnapshotChunkCount(parts.length)
                    .setOperation(parts[i])
                    .setGroupMembersView(MODEL.createRaftGroupMembersViewBuilder()
                            .setLogIndex(1)
                            .setMembers(RaftMember.of(List.of(SELF)))
                            .setVotingMembers(RaftMember.of(List.of(SELF)))
                            .build())
                    .build());
        }
        return chunks;
    }

    private Path onlyFile() throws IOException {
        try (Stream<Path> files = Files.list(root.resolve("log"))) {
            List<Path> logs = files.filter(path -> !path.endsWith("LOCK")).toList();
            assertThat(logs).hasSize(1);
            return logs.get(0);
        }
    }

    private static List<Long> indexes(RestoredRaftState state) {
        return state.getLogEntries().stream().map(LogEntry::getIndex).toList();
    }

    @Test
    void anEmptyLogRestoresNothing() throws IOException {
        try (RaftLogFiles files = open()) {
            assertThat(files.restored()).isEmpty();
        }
    }

    @Test
    void everythingIsRestored() throws IOException {
        byte[] command = new byte[100_000];
        Arrays.fill(command, (byte) 7);
        try (RaftLogFiles files = open()) {
            begin(files);
            vote(files, 3);
            files.persistLogEntries(List.of(entry(3, 1, command), entry(3, 2, new byte[0]), entry(3, 3, new byte[1])));
            files.truncateLogEntriesFrom(3);
            files.persistLogEntries(List.of(entry(4, 3, new byte[2])));
            files.flush();
        }
        try (RaftLogFiles files = open()) {
            RestoredRaftState state = files.restored().orElseThrow();
            assertThat(state.getLocalEndpointPersistentState().isVoting()).isTrue();
            assertThat(state.getInitialGroupMembers().getMembers()).hasSize(2);
            assertThat(state.getTermPersistentState().getTerm()).isEqualTo(3);
            assertThat(state.getTermPersistentState().getVotedFor()).isEqualTo(new RaftMember(OTHER));
            assertThat(indexes(state)).containsExactly(1L, 2L, 3L);
            assertThat(state.getLogEntries().get(0).getOperation()).isEqualTo(command);
            assertThat(state.getLogEntries().get(2).getTerm()).isEqualTo(4);
        }
    }

    /** MicroRaft cannot start without a term. */
    @Test
    void theDurableIndexIsThatOfTheLastEntryOnTheDisk() throws IOException {
        try (RaftLogFiles files = open()) {
            begin(files);
            files.persistLogEntries(List.of(entry(3, 1, new byte[1]), entry(3, 2, new byte[1])));
            assertThat(files.durableIndex()).isZero();
            files.flush();
            assertThat(files.durableIndex()).isEqualTo(2);
            files.truncateLogEntriesFrom(2);
            files.persistLogEntries(List.of(entry(4, 2, new byte[2]), entry(4, 3, new byte[2])));
            assertThat(files.durableIndex()).isEqualTo(1);
            vote(files, 4);
            assertThat(files.durableIndex()).isEqualTo(3);
        }
        try (RaftLogFiles files = open()) {
            assertThat(files.durableIndex()).isEqualTo(3);
            snapshot(4, 7, new byte[] {1}).forEach(part -> persist(files, part));
            assertThat(files.durableIndex()).isEqualTo(7);
        }
        try (RaftLogFiles files = open()) {
            assertThat(files.durableIndex()).isEqualTo(7);
        }
    }

    private static void persist(RaftLogFiles files, SnapshotChunk part) {
        try {
            files.persistSnapshotChunk(part);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void withoutATermItIsTermZero() throws IOException {
        try (RaftLogFiles files = open()) {
            begin(files);
        }
        try (RaftLogFiles files = open()) {
            assertThat(files.restored().orElseThrow().getTermPersistentState().getTerm())
                    .isZero();
        }
    }

    @Test
    void aSnapshotReplacesTheEntriesBeforeIt() throws IOException {
        try (RaftLogFiles files = open()) {
            begin(files);
            vote(files, 1);
            files.persistLogEntries(
                    List.of(entry(1, 1, new byte[9]), entry(1, 2, new byte[9]), entry(1, 3, new byte[9])));
            files.flush();
            List<SnapshotChunk> parts = snapshot(1, 2, new byte[] {1}, new byte[] {2});
            // In any order, as they arrive.
            files.persistSnapshotChunk(parts.get(1));
            assertThat(files.snapshotIndex()).isZero();
            assertThat(files.completes(parts.get(0))).isTrue();
            assertThat(files.completes(parts.get(1))).isFalse();
            files.persistSnapshotChunk(parts.get(0));
            assertThat(files.bytesSinceSnapshot()).isZero();
        }
        onlyFile();
        try (RaftLogFiles files = open()) {
            RestoredRaftState state = files.restored().orElseThrow();
            assertThat(state.getSnapshotEntry().getIndex()).isEqualTo(2);
            assertThat(state.getSnapshotEntry().getSnapshotChunkCount()).isEqualTo(2);
            assertThat(indexes(state)).containsExactly(3L);
            assertThat(state.getTermPersistentState().getTerm()).isEqualTo(1);
        }
    }

    @Test
    void aTornTailIsCutAndTheRestRestored() throws IOException {
        try (RaftLogFiles files = open()) {
            begin(files);
            files.persistLogEntries(List.of(entry(1, 1, new byte[50])));
            files.flush();
            files.persistLogEntries(List.of(entry(1, 2, new byte[50])));
            files.flush();
        }
        Path file = onlyFile();
        byte[] whole = Files.readAllBytes(file);
        for (int cut = 1; cut < 60; cut += 7) {
            Files.write(file, Arrays.copyOf(whole, whole.length - cut));
            try (RaftLogFiles files = open()) {
                assertThat(indexes(files.restored().orElseThrow())).containsExactly(1L);
                files.persistLogEntries(List.of(entry(2, 2, new byte[5])));
                files.flush();
            }
            try (RaftLogFiles files = open()) {
                assertThat(indexes(files.restored().orElseThrow())).containsExactly(1L, 2L);
            }
        }
    }

    /** An earlier process may have ended between a write and its fsync. */
    @Test
    void whatIsRestoredIsForcedFirst() throws IOException {
        try (RaftLogFiles files = open()) {
            begin(files);
        }
        synced.clear();
        open().close();
        assertThat(synced).containsExactly(onlyFile());
    }

    @Test
    void damageBeforeTheEndIsRefusedWithTheFileAndTheWayOut() throws IOException {
        try (RaftLogFiles files = open()) {
            begin(files);
            vote(files, 5);
            files.persistLogEntries(List.of(entry(5, 1, new byte[500])));
            files.flush();
        }
        Path file = onlyFile();
        byte[] whole = Files.readAllBytes(file);
        // In the header, and in frames that others follow. Frames are smaller than a sector that was never written.
        for (int at : new int[] {3, 9, 30, 60, 110}) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 0x10;
            Files.write(file, damaged);
            assertThatThrownBy(this::open)
                    .isInstanceOf(StoreException.class)
                    .hasMessageContainingAll(
                            file.toString(), "damaged at offset", "membership().replace", "MembershipChange.Recover");
            assertThat(Files.readAllBytes(file)).as("nothing is changed").isEqualTo(damaged);
        }
    }

    @Test
    void anotherMembersLogIsRefused() throws IOException {
        try (RaftLogFiles files = open()) {
            begin(files);
        }
        assertThatThrownBy(() -> RaftLogFiles.open(root.resolve("log"), disk, OTHER))
                .isInstanceOf(StoreException.class)
                .hasMessageContainingAll(SELF.toString(), OTHER.toString(), "directory");
        // The refused log is not left locked.
        open().close();
    }

    @Test
    void aDirectoryIsUsedOnceAtATime() throws IOException {
        try (RaftLogFiles files = open()) {
            assertThat(files.isPoisoned()).isFalse();
            assertThatThrownBy(this::open).isInstanceOf(StoreException.class).hasMessageContaining("locked");
        }
        open().close();
    }

    @Test
    void aMissingParentIsNamed() {
        assertThatThrownBy(() -> RaftLogFiles.open(root.resolve("a").resolve("b"), disk, SELF))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(root.resolve("a").toString());
    }

    @Test
    void theFirstFailureIsFinal() throws IOException {
        boolean[] failing = {false};
        List<String> failures = new ArrayList<>();
        Disk once = new Disk() {
            @Override
            public void sync(RandomAccessFile file, Path path) throws IOException {
                if (failing[0]) {
                    failing[0] = false;
                    throw new IOException("no space left");
                }
                super.sync(file, path);
            }
        };
        try (RaftLogFiles files = RaftLogFiles.open(root.resolve("log"), once, SELF)) {
            files.onFailure(failures::add);
            begin(files);
            files.persistLogEntries(List.of(entry(1, 1, new byte[5])));
            failing[0] = true;
            assertThatThrownBy(files::flush).isInstanceOf(IOException.class);
            assertThat(files.isPoisoned()).isTrue();
            assertThat(failures).hasSize(1).allMatch(why -> why.contains("no space left"));
            assertThatThrownBy(files::flush).hasMessageContaining("has failed before");
            assertThatThrownBy(() -> vote(files, 2)).hasMessageContaining("has failed before");
            assertThatThrownBy(() -> files.persistLogEntries(List.of())).hasMessageContaining("has failed before");
            assertThat(failures).hasSize(1);
        }
    }

    @Test
    void anAppendThatEndsInTheMiddleIsFinal() throws IOException {
        List<String> failures = new ArrayList<>();
        try (RaftLogFiles files = open()) {
            files.onFailure(failures::add);
            begin(files);
            LogEntry unknown = MODEL.createLogEntryBuilder()
                    .setTerm(1)
                    .setIndex(2)
                    .setOperation(new Object())
                    .build();
            assertThatThrownBy(() -> files.persistLogEntries(List.of(entry(1, 1, new byte[5]), unknown)))
                    .isInstanceOf(RuntimeException.class);
            assertThat(files.isPoisoned()).isTrue();
            assertThat(failures).hasSize(1).allMatch(why -> why.contains("error of this process"));
            assertThatThrownBy(files::flush).hasMessageContaining("has failed before");
        }
        try (RaftLogFiles files = open()) {
            assertThat(files.restored().orElseThrow().getLogEntries()).isEmpty();
        }
    }

    @Test
    void aLogWhoseFileWasRemovedFails() throws IOException {
        try (RaftLogFiles files = open()) {
            begin(files);
            Files.delete(onlyFile());
            assertThatThrownBy(() -> vote(files, 1)).hasMessageContaining("is not at its path any more");
            assertThat(files.isPoisoned()).isTrue();
        }
    }
}
