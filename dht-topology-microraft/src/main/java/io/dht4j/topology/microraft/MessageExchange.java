package io.dht4j.topology.microraft;

import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLog.Wire;
import io.dht4j.topology.microraft.internal.codec.Messages;
import io.dht4j.topology.microraft.internal.codec.RaftMember;
import io.dht4j.topology.microraft.internal.codec.SubstituteMessages;
import io.dht4j.topology.microraft.internal.log.RaftLogFiles;
import io.microraft.RaftEndpoint;
import io.microraft.RaftNode;
import io.microraft.model.message.AppendEntriesFailureResponse;
import io.microraft.model.message.AppendEntriesRequest;
import io.microraft.model.message.AppendEntriesSuccessResponse;
import io.microraft.model.message.InstallSnapshotRequest;
import io.microraft.model.message.InstallSnapshotResponse;
import io.microraft.model.message.RaftMessage;
import io.microraft.transport.Transport;
import java.util.function.Consumer;

/**
 * Passes messages to and from MicroRaft. It sends nothing when the log has failed, drops answers of earlier terms, and
 * replaces requests that MicroRaft 0.7 does not handle at a follower with a snapshot. Used on the lane.
 */
final class MessageExchange implements Transport {

    private final RaftLogFiles files;
    private final SequentialExecutor lane;
    private final Wire wire;
    private final Consumer<String> failure;

    /** The snapshot that the next answer counts from; 0 for the beginning. */
    private long answerFrom;

    /** Whether sending is suspended. */
    private boolean muted;

    /** The newest snapshot that was announced. */
    private long newestSnapshot;

    /**
     * Creates an exchange.
     *
     * @param failure is called when this member must stop
     */
    MessageExchange(RaftLogFiles files, SequentialExecutor lane, Wire wire, Consumer<String> failure) {
        this.failure = failure;
        this.files = files;
        this.lane = lane;
        this.wire = wire;
    }

    @Override
    public void send(RaftEndpoint target, RaftMessage message) {
        if (files.isPoisoned() || lane.isStopped() || muted) {
            return;
        }
        RaftMessage sent = answerFrom > 0 && message instanceof AppendEntriesSuccessResponse answer
                ? SubstituteMessages.countedFrom(answer, answerFrom)
                : message;
        NodeRef recipient = ((RaftMember) target).ref();
        wire.send(recipient, Messages.encode(recipient, sent));
    }

    @Override
    public boolean isReachable(RaftEndpoint endpoint) {
        return true;
    }

    /** Handles a message on the lane. */
    void handle(RaftNode node, RaftMessage message) {
        if (isStale(node, message)) {
            return;
        }
        if (message instanceof InstallSnapshotRequest request) {
            // MicroRaft collects the parts of the newest snapshot that it has heard of.
            newestSnapshot = Math.max(newestSnapshot, request.getSnapshotIndex());
        }
        long snapshot = files.snapshotIndex();
        if (message instanceof AppendEntriesRequest request
                && request.getPreviousLogIndex() <= snapshot
                && snapshot > 0) {
            handleBehind(snapshot, node, SubstituteMessages.behindSnapshot(request, snapshot));
        } else if (message instanceof InstallSnapshotRequest request && request.getSnapshotIndex() <= snapshot) {
            handleBehind(snapshot, node, SubstituteMessages.behindNewerSnapshot(request));
        } else if (message instanceof InstallSnapshotRequest request
                && files.hasEntry(request.getSnapshotIndex(), request.getSnapshotTerm())) {
            lane.directly(() -> node.handle(SubstituteMessages.inPlaceOf(request)));
        } else if (message instanceof InstallSnapshotRequest request && leavesLeftovers(node, request)) {
            replaceLeftovers(node, request);
        } else {
            lane.directly(() -> node.handle(message));
        }
    }

    /** MicroRaft's log has an entry for a moment that is not the agreed one, and not on the disk. */
    private void replaceLeftovers(RaftNode node, InstallSnapshotRequest request) {
        muted = true;
        try {
            files.withoutAppends(() -> lane.directly(() -> node.handle(SubstituteMessages.cutBefore(request))));
        } finally {
            muted = false;
        }
        lane.directly(() -> node.handle(request));
        if (files.snapshotIndex() != request.getSnapshotIndex()) {
            failure.accept("the topology log could not install snapshot " + request.getSnapshotIndex()
                    + ": start this node again");
        }
    }

    /** Returns whether a snapshot is about to replace a log that has never agreed entries there. */
    private boolean leavesLeftovers(RaftNode node, InstallSnapshotRequest request) {
        return request.getSnapshotChunk() != null
                && request.getSnapshotIndex() == newestSnapshot
                && request.getTerm() >= node.getTerm().getTerm()
                && files.completes(request.getSnapshotChunk())
                && files.hasOtherEntry(request.getSnapshotIndex(), request.getSnapshotTerm());
    }

    /** The entries of the snapshot are agreed, so every leader has them; MicroRaft has forgotten their terms. */
    private void handleBehind(long snapshot, RaftNode node, RaftMessage message) {
        answerFrom = snapshot;
        try {
            lane.directly(() -> node.handle(message));
        } finally {
            answerFrom = 0;
        }
    }

    /** An answer of an earlier term is outdated, since the log may have been cut since. */
    private static boolean isStale(RaftNode node, RaftMessage message) {
        return message.getTerm() < node.getTerm().getTerm()
                && (message instanceof AppendEntriesSuccessResponse
                        || message instanceof AppendEntriesFailureResponse
                        || message instanceof InstallSnapshotResponse);
    }
}
