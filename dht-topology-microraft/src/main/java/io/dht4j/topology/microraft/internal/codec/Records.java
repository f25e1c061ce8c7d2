package io.dht4j.topology.microraft.internal.codec;

import static io.dht4j.topology.microraft.internal.codec.Entries.MODEL;

import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLog;
import io.microraft.RaftEndpoint;
import io.microraft.model.log.LogEntry;
import io.microraft.model.log.RaftGroupMembersView;
import io.microraft.model.log.SnapshotChunk;
import io.microraft.model.persistence.RaftEndpointPersistentState;
import io.microraft.model.persistence.RaftTermPersistentState;
import org.jspecify.annotations.Nullable;

/** Encodes the records of the log on the disk: kind (1), and the fields of the kind. */
public final class Records {

    /** The maximum size of a record, which is a command or a part of a snapshot with its fields. */
    public static final int MAX_BYTES = TopologyLog.MAX_MESSAGE_BYTES;

    private static final int SELF = 1;
    private static final int INITIAL_MEMBERS = 2;
    private static final int TERM = 3;
    private static final int ENTRY = 4;
    private static final int CUT = 5;
    private static final int CHUNK = 6;

    private Records() {}

    /** Receives records in the order in which they were written. */
    public interface Sink {
        /** The identity of the member, and whether it votes. */
        void self(RaftEndpointPersistentState self);

        /** The members at the formation of the group. */
        void initialMembers(RaftGroupMembersView members);

        /** The newest term, and the vote in it. */
        void term(RaftTermPersistentState term);

        /** The next entry of the log. */
        void entry(LogEntry entry) throws Malformed;

        /** The entries from an index on are removed. */
        void cutFrom(long index);

        /** The next part of the snapshot. */
        void chunk(SnapshotChunk chunk) throws Malformed;
    }

    public static byte[] self(RaftEndpointPersistentState self) {
        return new Encoder()
                .oneByte(SELF)
                .ref(((RaftMember) self.getLocalEndpoint()).ref())
                .flag(self.isVoting())
                .bytes();
    }

    public static byte[] initialMembers(RaftGroupMembersView members) {
        Encoder out = new Encoder().oneByte(INITIAL_MEMBERS);
        Entries.put(out, members);
        return out.bytes();
    }

    public static byte[] term(RaftTermPersistentState term) {
        @Nullable RaftEndpoint vote = term.getVotedFor();
        Encoder out = new Encoder().oneByte(TERM).number(term.getTerm()).flag(vote != null);
        if (vote != null) {
            out.ref(((RaftMember) vote).ref());
        }
        return out.bytes();
    }

    public static byte[] entry(LogEntry entry) {
        Encoder out = new Encoder().oneByte(ENTRY);
        Entries.put(out, entry);
        return out.bytes();
    }

    public static byte[] cutFrom(long index) {
        return new Encoder().oneByte(CUT).number(index).bytes();
    }

    public static byte[] chunk(SnapshotChunk chunk) {
        Encoder out = new Encoder().oneByte(CHUNK);
        Entries.put(out, chunk);
        return out.bytes();
    }

    /** Decodes a record whose checksum was right. */
    public static void read(byte[] record, Sink into) throws Malformed {
        Decoder in = new Decoder(record);
        int kind = in.oneByte();
        switch (kind) {
            case SELF ->
                into.self(MODEL.createRaftEndpointPersistentStateBuilder()
                        .setLocalEndpoint(new RaftMember(in.ref()))
                        .setVoting(in.flag())
                        .build());
            case INITIAL_MEMBERS -> into.initialMembers(Entries.members(in));
            case TERM -> into.term(readTerm(in));
            case ENTRY -> into.entry(Entries.entry(in));
            case CUT -> into.cutFrom(in.longNumber());
            case CHUNK -> into.chunk(Entries.chunk(in));
            default -> throw new Malformed("a record is of kind " + kind);
        }
        in.end();
    }

    private static RaftTermPersistentState readTerm(Decoder in) throws Malformed {
        int term = in.number();
        @Nullable NodeRef vote = in.flag() ? in.ref() : null;
        return termWith(term, vote == null ? null : new RaftMember(vote));
    }

    /** Returns a term, with a vote or without. */
    public static RaftTermPersistentState termWith(int term, @Nullable RaftEndpoint vote) {
        return MODEL.createRaftTermPersistentStateBuilder()
                .setTerm(term)
                .setVotedFor(vote)
                .build();
    }
}
