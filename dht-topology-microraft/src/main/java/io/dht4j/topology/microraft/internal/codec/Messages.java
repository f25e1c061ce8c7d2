package io.dht4j.topology.microraft.internal.codec;

import static io.dht4j.topology.microraft.internal.codec.Entries.MODEL;

import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLog;
import io.microraft.RaftEndpoint;
import io.microraft.model.log.LogEntry;
import io.microraft.model.log.SnapshotChunk;
import io.microraft.model.message.AppendEntriesFailureResponse;
import io.microraft.model.message.AppendEntriesRequest;
import io.microraft.model.message.AppendEntriesSuccessResponse;
import io.microraft.model.message.InstallSnapshotRequest;
import io.microraft.model.message.InstallSnapshotResponse;
import io.microraft.model.message.PreVoteRequest;
import io.microraft.model.message.PreVoteResponse;
import io.microraft.model.message.RaftMessage;
import io.microraft.model.message.RaftMessage.RaftMessageBuilder;
import io.microraft.model.message.TriggerLeaderElectionRequest;
import io.microraft.model.message.VoteRequest;
import io.microraft.model.message.VoteResponse;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes the messages of Raft: version of the format (1), recipient, sender, kind (1), term (4), and the fields of the
 * kind in the order of its builder.
 */
public final class Messages {

    /** The name of every group. A node's frames name its cluster. */
    public static final String GROUP = "topology";

    private static final int VERSION = 1;
    private static final int MAX_ENTRIES = 1000;
    /** The maximum size of an entry without its command: lists of members are larger than the rest. */
    private static final int ENTRY_BYTES = 64;

    private static final int APPEND = 1;
    private static final int APPENDED = 2;
    private static final int APPEND_FAILED = 3;
    private static final int INSTALL = 4;
    private static final int INSTALL_NEXT = 5;
    private static final int VOTE = 6;
    private static final int VOTED = 7;
    private static final int PRE_VOTE = 8;
    private static final int PRE_VOTED = 9;
    private static final int ELECT = 10;

    private Messages() {}

    /**
     * Encodes a message. A request to append has as many of its first entries as fit, and one at least: the recipient
     * asks for the rest.
     *
     * @param to the recipient
     * @param message of MicroRaft's model
     * @return up to {@link TopologyLog#MAX_MESSAGE_BYTES}
     */
    public static byte[] encode(NodeRef to, RaftMessage message) {
        Encoder out = new Encoder();
        out.oneByte(VERSION).ref(to).ref(((RaftMember) message.getSender()).ref());
        if (message instanceof AppendEntriesRequest m) {
            out.oneByte(APPEND)
                    .number(m.getTerm())
                    .number(m.getPreviousLogTerm())
                    .number(m.getPreviousLogIndex())
                    .number(m.getCommitIndex())
                    .number(m.getQuerySequenceNumber())
                    .number(m.getFlowControlSequenceNumber());
            List<LogEntry> entries = fitting(m.getLogEntries());
            out.number(entries.size());
            entries.forEach(entry -> Entries.put(out, entry));
        } else if (message instanceof AppendEntriesSuccessResponse m) {
            out.oneByte(APPENDED)
                    .number(m.getTerm())
                    .number(m.getLastLogIndex())
                    .number(m.getQuerySequenceNumber())
                    .number(m.getFlowControlSequenceNumber());
        } else if (message instanceof AppendEntriesFailureResponse m) {
            out.oneByte(APPEND_FAILED)
                    .number(m.getTerm())
                    .number(m.getExpectedNextIndex())
                    .number(m.getQuerySequenceNumber())
                    .number(m.getFlowControlSequenceNumber());
        } else if (message instanceof InstallSnapshotRequest m) {
            out.oneByte(INSTALL)
                    .number(m.getTerm())
                    .flag(m.isSenderLeader())
                    .number(m.getSnapshotTerm())
                    .number(m.getSnapshotIndex())
                    .number(m.getTotalSnapshotChunkCount())
                    .flag(m.getSnapshotChunk() != null);
            if (m.getSnapshotChunk() != null) {
                Entries.put(out, m.getSnapshotChunk());
            }
            out.refs(RaftMember.refs(m.getSnapshottedMembers()));
            Entries.put(out, m.getGroupMembersView());
            out.number(m.getQuerySequenceNumber()).number(m.getFlowControlSequenceNumber());
        } else if (message instanceof InstallSnapshotResponse m) {
            out.oneByte(INSTALL_NEXT)
                    .number(m.getTerm())
                    .number(m.getSnapshotIndex())
                    .number(m.getRequestedSnapshotChunkIndex())
                    .number(m.getQuerySequenceNumber())
                    .number(m.getFlowControlSequenceNumber());
        } else if (message instanceof VoteRequest m) {
            out.oneByte(VOTE)
                    .number(m.getTerm())
                    .number(m.getLastLogTerm())
                    .number(m.getLastLogIndex())
                    .flag(m.isSticky());
        } else if (message instanceof VoteResponse m) {
            out.oneByte(VOTED).number(m.getTerm()).flag(m.isGranted());
        } else if (message instanceof PreVoteRequest m) {
            out.oneByte(PRE_VOTE).number(m.getTerm()).number(m.getLastLogTerm()).number(m.getLastLogIndex());
        } else if (message instanceof PreVoteResponse m) {
            out.oneByte(PRE_VOTED).number(m.getTerm()).flag(m.isGranted());
        } else if (message instanceof TriggerLeaderElectionRequest m) {
            out.oneByte(ELECT).number(m.getTerm()).number(m.getLastLogTerm()).number(m.getLastLogIndex());
        } else {
            throw new IllegalArgumentException("no message of Raft: " + message);
        }
        return out.bytes();
    }

    private static List<LogEntry> fitting(List<LogEntry> entries) {
        long room = TopologyLog.MAX_COMMAND_BYTES;
        int count = 0;
        while (count < Math.min(entries.size(), MAX_ENTRIES)) {
            LogEntry entry = entries.get(count);
            room -= ENTRY_BYTES + (entry.getOperation() instanceof byte[] command ? command.length : 4 << 10);
            if (room < 0 && count > 0) {
                break;
            }
            count++;
        }
        return entries.subList(0, count);
    }

    /**
     * Decodes a message.
     *
     * @param self the recipient that it must name
     * @param from the sender that it must name
     * @param bytes untrusted
     * @return the message
     * @throws Malformed if it is none, or names others
     */
    public static RaftMessage decode(NodeRef self, NodeRef from, byte[] bytes) throws Malformed {
        if (bytes.length > TopologyLog.MAX_MESSAGE_BYTES) {
            throw new Malformed("it has " + bytes.length + " bytes, more than " + TopologyLog.MAX_MESSAGE_BYTES);
        }
        Decoder in = new Decoder(bytes);
        int version = in.oneByte();
        if (version != VERSION) {
            throw new Malformed("it has format " + version + ", this release reads format " + VERSION);
        }
        NodeRef to = in.ref();
        NodeRef sender = in.ref();
        if (!to.equals(self) || !sender.equals(from)) {
            throw new Malformed("it is from " + sender + " to " + to);
        }
        int kind = in.oneByte();
        RaftMessage message = message(in, kind, new RaftMember(sender), in.number());
        in.end();
        return message;
    }

    private static RaftMessage message(Decoder in, int kind, RaftEndpoint sender, int term) throws Malformed {
        return switch (kind) {
            case APPEND -> append(in, sender, term);
            case APPENDED ->
                with(MODEL.createAppendEntriesSuccessResponseBuilder()
                        .setGroupId(GROUP)
                        .setSender(sender)
                        .setTerm(term)
                        .setLastLogIndex(in.longNumber())
                        .setQuerySequenceNumber(in.longNumber())
                        .setFlowControlSequenceNumber(in.longNumber()));
            case APPEND_FAILED ->
                with(MODEL.createAppendEntriesFailureResponseBuilder()
                        .setGroupId(GROUP)
                        .setSender(sender)
                        .setTerm(term)
                        .setExpectedNextIndex(in.longNumber())
                        .setQuerySequenceNumber(in.longNumber())
                        .setFlowControlSequenceNumber(in.longNumber()));
            case INSTALL -> install(in, sender, term);
            case INSTALL_NEXT ->
                with(MODEL.createInstallSnapshotResponseBuilder()
                        .setGroupId(GROUP)
                        .setSender(sender)
                        .setTerm(term)
                        .setSnapshotIndex(in.longNumber())
                        .setRequestedSnapshotChunkIndex(in.number())
                        .setQuerySequenceNumber(in.longNumber())
                        .setFlowControlSequenceNumber(in.longNumber()));
            case VOTE ->
                with(MODEL.createVoteRequestBuilder()
                        .setGroupId(GROUP)
                        .setSender(sender)
                        .setTerm(term)
                        .setLastLogTerm(in.number())
                        .setLastLogIndex(in.longNumber())
                        .setSticky(in.flag()));
            case VOTED ->
                with(MODEL.createVoteResponseBuilder()
                        .setGroupId(GROUP)
                        .setSender(sender)
                        .setTerm(term)
                        .setGranted(in.flag()));
            case PRE_VOTE ->
                with(MODEL.createPreVoteRequestBuilder()
                        .setGroupId(GROUP)
                        .setSender(sender)
                        .setTerm(term)
                        .setLastLogTerm(in.number())
                        .setLastLogIndex(in.longNumber()));
            case PRE_VOTED ->
                with(MODEL.createPreVoteResponseBuilder()
                        .setGroupId(GROUP)
                        .setSender(sender)
                        .setTerm(term)
                        .setGranted(in.flag()));
            case ELECT ->
                with(MODEL.createTriggerLeaderElectionRequestBuilder()
                        .setGroupId(GROUP)
                        .setSender(sender)
                        .setTerm(term)
                        .setLastLogTerm(in.number())
                        .setLastLogIndex(in.longNumber()));
            default -> throw new Malformed("it is of kind " + kind);
        };
    }

    private static RaftMessage with(RaftMessageBuilder<? extends RaftMessage> builder) {
        return builder.build();
    }

    private static RaftMessage append(Decoder in, RaftEndpoint sender, int term) throws Malformed {
        int previousTerm = in.number();
        long previousIndex = in.longNumber();
        long commitIndex = in.longNumber();
        long query = in.longNumber();
        long flow = in.longNumber();
        int count = in.number();
        if (count > MAX_ENTRIES) {
            throw new Malformed("it has " + count + " entries, more than " + MAX_ENTRIES);
        }
        List<LogEntry> entries = new ArrayList<>();
        int entryTerm = previousTerm;
        for (int i = 0; i < count; i++) {
            LogEntry entry = Entries.entry(in);
            if (entry.getIndex() != previousIndex + 1 + i || entry.getTerm() < entryTerm || entry.getTerm() > term) {
                throw new Malformed("entry " + entry.getIndex() + " of term " + entry.getTerm() + " does not follow");
            }
            entryTerm = entry.getTerm();
            entries.add(entry);
        }
        return append(sender, term, previousTerm, previousIndex, commitIndex, entries, query, flow);
    }

    static RaftMessage append(
            RaftEndpoint sender,
            int term,
            int previousTerm,
            long previousIndex,
            long commitIndex,
            List<LogEntry> entries,
            long query,
            long flow) {
        return MODEL.createAppendEntriesRequestBuilder()
                .setGroupId(GROUP)
                .setSender(sender)
                .setTerm(term)
                .setPreviousLogTerm(previousTerm)
                .setPreviousLogIndex(previousIndex)
                .setCommitIndex(commitIndex)
                .setLogEntries(entries)
                .setQuerySequenceNumber(query)
                .setFlowControlSequenceNumber(flow)
                .build();
    }

    private static RaftMessage install(Decoder in, RaftEndpoint sender, int term) throws Malformed {
        boolean leader = in.flag();
        int snapshotTerm = in.number();
        long snapshotIndex = in.longNumber();
        int total = in.number();
        if (total > Entries.MAX_CHUNKS) {
            throw new Malformed("a snapshot has " + total + " parts, more than " + Entries.MAX_CHUNKS);
        }
        SnapshotChunk chunk = in.flag() ? Entries.chunk(in) : null;
        if (chunk != null && chunk.getIndex() != snapshotIndex) {
            throw new Malformed("a part of snapshot " + chunk.getIndex() + " is sent for " + snapshotIndex);
        }
        return MODEL.createInstallSnapshotRequestBuilder()
                .setGroupId(GROUP)
                .setSender(sender)
                .setTerm(term)
                .setSenderLeader(leader)
                .setSnapshotTerm(snapshotTerm)
                .setSnapshotIndex(snapshotIndex)
                .setTotalSnapshotChunkCount(total)
                .setSnapshotChunk(chunk)
                .setSnapshottedMembers(RaftMember.of(in.refs()))
                .setGroupMembersView(Entries.members(in))
                .setQuerySequenceNumber(in.longNumber())
                .setFlowControlSequenceNumber(in.longNumber())
                .build();
    }
}
