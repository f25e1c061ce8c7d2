package io.dht4j.topology.microraft.internal.codec;

import static io.dht4j.topology.microraft.internal.codec.Entries.MODEL;

import io.microraft.model.groupop.UpdateRaftGroupMembersOp;
import io.microraft.model.log.LogEntry;
import io.microraft.model.message.AppendEntriesRequest;
import io.microraft.model.message.AppendEntriesSuccessResponse;
import io.microraft.model.message.InstallSnapshotRequest;
import io.microraft.model.message.RaftMessage;
import java.util.ArrayList;
import java.util.List;

/**
 * Messages in place of those that MicroRaft 0.7 does not handle at a follower with a snapshot, or does not send from
 * one.
 */
public final class SubstituteMessages {

    private SubstituteMessages() {}

    /**
     * Returns a request to append without the entries up to an index, all of which the recipient has in a snapshot, and
     * without a check of the entry before. It commits no entry.
     *
     * @param request to append, with the entry before its first one at the index or earlier
     * @param snapshotIndex of the recipient
     * @return a request whose answer counts from the snapshot
     */
    public static RaftMessage behindSnapshot(AppendEntriesRequest request, long snapshotIndex) {
        List<LogEntry> entries = new ArrayList<>();
        for (LogEntry entry : request.getLogEntries()) {
            if (entry.getIndex() > snapshotIndex) {
                entries.add(entry);
                if (entry.getOperation() instanceof UpdateRaftGroupMembersOp) {
                    // MicroRaft knows one change that is not committed; the next one comes with the commit of this one.
                    break;
                }
            }
        }
        return Messages.append(
                request.getSender(),
                request.getTerm(),
                0,
                0,
                0,
                entries,
                request.getQuerySequenceNumber(),
                request.getFlowControlSequenceNumber());
    }

    /**
     * Returns an empty request to append after the last entry of a snapshot.
     *
     * @param request to install a snapshot whose entries the recipient has in its log
     * @return a request that commits them
     */
    public static RaftMessage inPlaceOf(InstallSnapshotRequest request) {
        return Messages.append(
                request.getSender(),
                request.getTerm(),
                request.getSnapshotTerm(),
                request.getSnapshotIndex(),
                request.getSnapshotIndex(),
                List.of(),
                request.getQuerySequenceNumber(),
                request.getFlowControlSequenceNumber());
    }

    /**
     * Returns a request to append an entry in the place of the last one of a snapshot. It makes MicroRaft cut the
     * entries that were never agreed. The entry is not the agreed one, so it is neither stored nor kept.
     *
     * @param request to install a snapshot
     * @return a request that commits no entry
     */
    public static RaftMessage cutBefore(InstallSnapshotRequest request) {
        LogEntry other = MODEL.createLogEntryBuilder()
                .setTerm(request.getSnapshotTerm())
                .setIndex(request.getSnapshotIndex())
                .setOperation(new NewTerm(request.getSnapshotTerm()))
                .build();
        return Messages.append(request.getSender(), request.getTerm(), 0, 0, 0, List.of(other), 0, 0);
    }

    /**
     * Returns an empty request to append, whose answer counts from the recipient's snapshot.
     *
     * @param request to install a snapshot that is older than the recipient's
     * @return a request that commits no entry
     */
    public static RaftMessage behindNewerSnapshot(InstallSnapshotRequest request) {
        return Messages.append(
                request.getSender(),
                request.getTerm(),
                0,
                0,
                0,
                List.of(),
                request.getQuerySequenceNumber(),
                request.getFlowControlSequenceNumber());
    }

    /**
     * Returns the answer to a request {@linkplain #behindSnapshot behind a snapshot}, with the snapshot's entries.
     *
     * @param answer that counts from the snapshot
     * @param snapshotIndex of the sender
     * @return an answer that counts from the beginning
     */
    public static RaftMessage countedFrom(AppendEntriesSuccessResponse answer, long snapshotIndex) {
        return MODEL.createAppendEntriesSuccessResponseBuilder()
                .setGroupId(Messages.GROUP)
                .setSender(answer.getSender())
                .setTerm(answer.getTerm())
                .setLastLogIndex(answer.getLastLogIndex() + snapshotIndex)
                .setQuerySequenceNumber(answer.getQuerySequenceNumber())
                .setFlowControlSequenceNumber(answer.getFlowControlSequenceNumber())
                .build();
    }
}
