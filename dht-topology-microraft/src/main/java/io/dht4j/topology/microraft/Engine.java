package io.dht4j.topology.microraft;

import io.dht4j.spi.Environment;
import io.dht4j.topology.microraft.internal.codec.Messages;
import io.dht4j.topology.microraft.internal.codec.RaftMember;
import io.dht4j.topology.microraft.internal.log.RaftLogFiles;
import io.microraft.RaftConfig;
import io.microraft.RaftNode;
import io.microraft.RaftRole;
import io.microraft.impl.RaftNodeImpl;
import io.microraft.impl.state.RaftState;
import io.microraft.persistence.RestoredRaftState;
import io.microraft.report.RaftNodeReportListener;
import io.microraft.statemachine.StateMachine;
import io.microraft.transport.Transport;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Creates the members of MicroRaft that the topology log uses. */
final class Engine {

    /** Entries of a leader that are not agreed yet. */
    private static final int MOST_PENDING = 64;

    private Engine() {}

    /**
     * Creates a member of the group, which continues from its files.
     *
     * @param messages carries messages
     * @param commands applies agreed commands
     * @param reports receives reports of the member, on the lane
     */
    static RaftNode create(
            MicroRaftOptions options,
            Environment environment,
            SequentialExecutor lane,
            RaftLogFiles files,
            Transport messages,
            StateMachine commands,
            RaftNodeReportListener reports) {
        RaftNode.RaftNodeBuilder builder = RaftNode.newBuilder()
                .setGroupId(Messages.GROUP)
                .setConfig(RaftConfig.newBuilder()
                        .setLeaderHeartbeatPeriodSecs(options.heartbeatSeconds())
                        .setLeaderHeartbeatTimeoutSecs(options.silenceSeconds())
                        .setLeaderElectionTimeoutMillis(TimeUnit.SECONDS.toMillis(options.heartbeatSeconds()))
                        .setCommitCountToTakeSnapshot(options.snapshotEntries())
                        .setMaxPendingLogEntryCount(MOST_PENDING)
                        .setTransferSnapshotsFromFollowersEnabled(false)
                        .build())
                .setExecutor(lane)
                .setClock(lane.clock())
                .setRandom(new Random(environment.random().nextLong()))
                .setTransport(messages)
                .setStateMachine(commands)
                .setStore(files)
                .setRaftNodeReportListener(reports);
        Optional<RestoredRaftState> restored = files.restored();
        if (restored.isPresent()) {
            builder.setRestoredState(restored.get());
        } else {
            builder.setLocalEndpoint(new RaftMember(options.self()))
                    .setInitialGroupMembers(RaftMember.of(options.initialMembers()));
        }
        return builder.build();
    }

    /**
     * Lets a follower start an election whose leader is silent. MicroRaft does not if the follower has asked for votes
     * in this term before it heard of the leader, as after a restart: it remembers that it asks.
     */
    static void remind(RaftNodeImpl node, SequentialExecutor lane, int seconds) {
        lane.schedule(() -> remind(node, lane, seconds), seconds, TimeUnit.SECONDS);
        RaftState state = node.state();
        if (state.role() == RaftRole.FOLLOWER
                && state.leader() != null
                && state.preCandidateState() != null
                && node.isLeaderHeartbeatTimeoutElapsed()) {
            node.toFollower(state.term());
        }
    }
}
