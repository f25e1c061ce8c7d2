package io.dht4j.topology.microraft.internal.log;

import io.dht4j.topology.microraft.internal.codec.Malformed;
import io.dht4j.topology.microraft.internal.codec.Records;
import io.microraft.model.impl.DefaultRaftModelFactory;
import io.microraft.model.log.LogEntry;
import io.microraft.model.log.RaftGroupMembersView;
import io.microraft.model.log.SnapshotChunk;
import io.microraft.model.log.SnapshotEntry;
import io.microraft.model.persistence.RaftEndpointPersistentState;
import io.microraft.model.persistence.RaftTermPersistentState;
import io.microraft.persistence.RestoredRaftState;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The state that the records of the log result in. Used by one thread at a time. */
final class RestoredState implements Records.Sink {

    @Nullable
    RaftEndpointPersistentState self;

    @Nullable
    RaftGroupMembersView initialMembers;

    @Nullable
    RaftTermPersistentState term;

    /** The parts of the newest whole snapshot, by their number. */
    List<SnapshotChunk> chunks = new ArrayList<>();

    /** The entries behind the snapshot. */
    final NavigableMap<Long, LogEntry> entries = new TreeMap<>();

    @Override
    public void self(RaftEndpointPersistentState value) {
        self = value;
    }

    @Override
    public void initialMembers(RaftGroupMembersView value) {
        initialMembers = value;
    }

    @Override
    public void term(RaftTermPersistentState value) {
        term = value;
    }

    @Override
    public void entry(LogEntry entry) throws Malformed {
        if (entry.getIndex() != lastIndex() + 1) {
            throw new Malformed("entry " + entry.getIndex() + " follows entry " + lastIndex());
        }
        entries.put(entry.getIndex(), entry);
    }

    @Override
    public void cutFrom(long index) {
        entries.tailMap(index, true).clear();
    }

    /** A file has the parts of one snapshot, at its beginning. */
    @Override
    public void chunk(SnapshotChunk chunk) throws Malformed {
        if (chunk.getSnapshotChunkIndex() != chunks.size()
                || (!chunks.isEmpty() && chunks.get(0).getIndex() != chunk.getIndex())) {
            throw new Malformed("part " + chunk.getSnapshotChunkIndex() + " of snapshot " + chunk.getIndex()
                    + " follows " + chunks.size() + " parts");
        }
        chunks.add(chunk);
    }

    /** Returns the index of the snapshot; 0 if there is none. */
    long snapshotIndex() {
        return chunks.isEmpty() ? 0 : chunks.get(0).getIndex();
    }

    /** Returns the index of the last entry, or of the snapshot if none follows it. */
    long lastIndex() {
        return entries.isEmpty() ? snapshotIndex() : entries.lastKey();
    }

    /** Replaces the snapshot by a newer one, and drops the entries that it contains. */
    void snapshot(List<SnapshotChunk> newer) {
        chunks = List.copyOf(newer);
        entries.headMap(snapshotIndex(), true).clear();
    }

    /** Returns all of it as records. */
    List<byte[]> records() {
        List<byte[]> records = new ArrayList<>();
        if (self != null) {
            records.add(Records.self(self));
        }
        if (initialMembers != null) {
            records.add(Records.initialMembers(initialMembers));
        }
        if (term != null) {
            records.add(Records.term(term));
        }
        chunks.forEach(chunk -> records.add(Records.chunk(chunk)));
        entries.values().forEach(entry -> records.add(Records.entry(entry)));
        return records;
    }

    /** Returns it for MicroRaft; empty if no member has started on it. */
    Optional<RestoredRaftState> restored() {
        if (self == null || initialMembers == null) {
            return Optional.empty();
        }
        return Optional.of(new RestoredRaftState(
                self,
                initialMembers,
                // MicroRaft cannot start without one.
                term == null ? Records.termWith(0, null) : term,
                snapshotEntry(),
                new ArrayList<>(entries.values())));
    }

    private @Nullable SnapshotEntry snapshotEntry() {
        if (chunks.isEmpty()) {
            return null;
        }
        SnapshotChunk first = chunks.get(0);
        return new DefaultRaftModelFactory()
                .createSnapshotEntryBuilder()
                .setIndex(first.getIndex())
                .setTerm(first.getTerm())
                .setSnapshotChunks(new ArrayList<>(chunks))
                .setGroupMembersView(first.getGroupMembersView())
                .build();
    }
}
