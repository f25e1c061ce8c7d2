package io.dht4j.topology.microraft.internal.codec;

import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLog;
import io.microraft.MembershipChangeMode;
import io.microraft.RaftEndpoint;
import io.microraft.model.RaftModelFactory;
import io.microraft.model.groupop.UpdateRaftGroupMembersOp;
import io.microraft.model.impl.DefaultRaftModelFactory;
import io.microraft.model.log.LogEntry;
import io.microraft.model.log.RaftGroupMembersView;
import io.microraft.model.log.SnapshotChunk;
import java.util.HashSet;
import java.util.List;

/**
 * Encodes the data of both messages and the disk: entries of the log, members and parts of snapshots.
 *
 * <pre>
 * entry    term (4), index (8), kind (1), then
 *          1 a command: its bytes   2 a new term: its number (4)   3 other members: all, voting, changed, mode (1)
 * members  index (8), all, voting
 * chunk    index (8), term (4), number (4), count (4), members, bytes
 * </pre>
 */
final class Entries {

    /** The largest part of a snapshot. */
    static final int CHUNK_BYTES = 512 << 10;

    static final int MAX_CHUNKS = TopologyLog.MAX_SNAPSHOT_BYTES / CHUNK_BYTES;

    /** Creates MicroRaft's model objects. */
    static final RaftModelFactory MODEL = new DefaultRaftModelFactory();

    private static final int COMMAND = 1;
    private static final int NEW_TERM = 2;
    private static final int MEMBERS = 3;

    private Entries() {}

    static void put(Encoder to, LogEntry entry) {
        to.number(entry.getTerm()).number(entry.getIndex());
        Object operation = entry.getOperation();
        if (operation instanceof byte[] command) {
            to.oneByte(COMMAND).raw(command);
        } else if (operation instanceof NewTerm term) {
            to.oneByte(NEW_TERM).number(term.term());
        } else if (operation instanceof UpdateRaftGroupMembersOp change) {
            to.oneByte(MEMBERS)
                    .refs(RaftMember.refs(change.getMembers()))
                    .refs(RaftMember.refs(change.getVotingMembers()))
                    .ref(((RaftMember) change.getEndpoint()).ref())
                    .oneByte(modeNumber(change.getMode()));
        } else {
            throw new IllegalArgumentException("no entry of this log: " + operation);
        }
    }

    static LogEntry entry(Decoder from) throws Malformed {
        int term = from.number();
        long index = from.longNumber();
        int kind = from.oneByte();
        Object operation = switch (kind) {
            case COMMAND -> from.raw(TopologyLog.MAX_COMMAND_BYTES);
            case NEW_TERM -> new NewTerm(from.number());
            case MEMBERS -> change(from);
            default -> throw new Malformed("an entry is of kind " + kind);
        };
        return MODEL.createLogEntryBuilder()
                .setTerm(term)
                .setIndex(index)
                .setOperation(operation)
                .build();
    }

    private static UpdateRaftGroupMembersOp change(Decoder from) throws Malformed {
        List<NodeRef> all = from.refs();
        List<NodeRef> voting = voting(from, all);
        NodeRef changed = from.ref();
        MembershipChangeMode mode = mode(from.oneByte());
        return MODEL.createUpdateRaftGroupMembersOpBuilder()
                .setMembers(RaftMember.of(all))
                .setVotingMembers(RaftMember.of(voting))
                .setEndpoint(new RaftMember(changed))
                .setMode(mode)
                .build();
    }

    private static int modeNumber(MembershipChangeMode mode) {
        return switch (mode) {
            case ADD_LEARNER -> 0;
            case ADD_OR_PROMOTE_TO_FOLLOWER -> 1;
            case REMOVE_MEMBER -> 2;
        };
    }

    private static MembershipChangeMode mode(int number) throws Malformed {
        return switch (number) {
            case 0 -> MembershipChangeMode.ADD_LEARNER;
            case 1 -> MembershipChangeMode.ADD_OR_PROMOTE_TO_FOLLOWER;
            case 2 -> MembershipChangeMode.REMOVE_MEMBER;
            default -> throw new Malformed("a change of members is of kind " + number);
        };
    }

    static void put(Encoder to, RaftGroupMembersView view) {
        to.number(view.getLogIndex())
                .refs(RaftMember.refs(view.getMembers()))
                .refs(RaftMember.refs(view.getVotingMembers()));
    }

    static RaftGroupMembersView members(Decoder from) throws Malformed {
        long index = from.longNumber();
        List<RaftEndpoint> all;
        List<NodeRef> refs = from.refs();
        all = RaftMember.of(refs);
        return MODEL.createRaftGroupMembersViewBuilder()
                .setLogIndex(index)
                .setMembers(all)
                .setVotingMembers(RaftMember.of(voting(from, refs)))
                .build();
    }

    private static List<NodeRef> voting(Decoder from, List<NodeRef> all) throws Malformed {
        List<NodeRef> voting = from.refs();
        if (voting.isEmpty() || !new HashSet<>(all).containsAll(voting)) {
            throw new Malformed("no voting members, or some that are no members");
        }
        return voting;
    }

    static void put(Encoder to, SnapshotChunk chunk) {
        to.number(chunk.getIndex())
                .number(chunk.getTerm())
                .number(chunk.getSnapshotChunkIndex())
                .number(chunk.getSnapshotChunkCount());
        put(to, chunk.getGroupMembersView());
        to.raw((byte[]) chunk.getOperation());
    }

    static SnapshotChunk chunk(Decoder from) throws Malformed {
        long index = from.longNumber();
        int term = from.number();
        int number = from.number();
        int count = from.number();
        if (count < 1 || count > MAX_CHUNKS || number >= count) {
            throw new Malformed("a snapshot has part " + number + " of " + count);
        }
        return MODEL.createSnapshotChunkBuilder()
                .setIndex(index)
                .setTerm(term)
                .setSnapshotChunkIndex(number)
                .setSnapshotChunkCount(count)
                .setGroupMembersView(members(from))
                .setOperation(from.raw(CHUNK_BYTES))
                .build();
    }
}
