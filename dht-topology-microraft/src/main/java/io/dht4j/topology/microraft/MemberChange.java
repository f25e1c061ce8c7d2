package io.dht4j.topology.microraft;

import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLogException.Outcome;
import io.dht4j.topology.microraft.internal.codec.RaftMember;
import io.microraft.MembershipChangeMode;
import io.microraft.RaftEndpoint;
import io.microraft.RaftNode;
import io.microraft.exception.IndeterminateStateException;
import io.microraft.exception.NotLeaderException;
import io.microraft.report.RaftGroupMembers;
import io.microraft.report.RaftNodeReport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Changes the voting members to a list, one safe step after the other. It removes unwanted learners, then an unwanted
 * voter that is silent. Wanted nodes become learners, and voters when they have all committed entries. At last it
 * removes the other unwanted voters; the leader transfers its leadership first. Each step uses the current report. Runs
 * on the lane.
 */
final class MemberChange {

    private static final long PAUSE_MILLIS = 250;
    private static final int MOST_LEARNERS = RaftGroupMembers.MAX_LEARNER_COUNT;

    /** MicroRaft searches for the end of a follower's log one entry after the other, back to the newest snapshot. */
    private static final long MOST_PROBES = 100;

    private final RaftNode raft;
    private final SequentialExecutor lane;
    private final NodeRef self;
    private final List<RaftEndpoint> wanted;
    private final long silenceMillis;
    private final Calls.Call<Void> call;

    MemberChange(
            RaftNode raft,
            SequentialExecutor lane,
            NodeRef self,
            List<NodeRef> wanted,
            long silenceMillis,
            Calls.Call<Void> call) {
        this.raft = raft;
        this.lane = lane;
        this.self = self;
        this.wanted = RaftMember.of(wanted);
        this.silenceMillis = silenceMillis;
        this.call = call;
    }

    boolean isDone() {
        return call.isDone();
    }

    /** Does the next step, unless the call is over. */
    void step() {
        if (call.isDone()) {
            return;
        }
        lane.directly(() -> raft.getReport().whenComplete((report, failure) -> {
            if (failure != null || report == null) {
                call.end("this member has failed");
            } else {
                step(report.getResult());
            }
        }));
    }

    private void step(RaftNodeReport report) {
        RaftEndpoint leader = report.getTerm().getLeaderEndpoint();
        if (!new RaftMember(self).equals(leader)) {
            call.fail(
                    Outcome.NOT_LEADER,
                    "this member does not lead",
                    leader == null ? null : ((RaftMember) leader).ref());
            return;
        }
        RaftGroupMembers members = report.getCommittedMembers();
        if (members.getLogIndex() != report.getEffectiveMembers().getLogIndex()) {
            pause();
            return;
        }
        Collection<RaftEndpoint> voters = members.getVotingMembers();
        if (voters.size() == wanted.size()
                && voters.containsAll(wanted)
                && members.getMembers().size() == voters.size()) {
            call.complete(null);
            return;
        }
        @Nullable RaftEndpoint toRemove = unwantedFirst(report, members);
        if (toRemove != null) {
            change(toRemove, MembershipChangeMode.REMOVE_MEMBER, members);
            return;
        }
        List<RaftEndpoint> missing = new ArrayList<>(wanted);
        missing.removeAll(members.getMembers());
        if (!missing.isEmpty() && members.getMembers().size() - voters.size() < MOST_LEARNERS) {
            if (report.getLog().getCommitIndex() - report.getLog().getLastSnapshotIndex() > MOST_PROBES) {
                lane.directly(raft::takeSnapshot);
            }
            change(missing.get(0), MembershipChangeMode.ADD_LEARNER, members);
            return;
        }
        @Nullable RaftEndpoint caughtUp = caughtUp(report, members);
        if (caughtUp != null) {
            change(caughtUp, MembershipChangeMode.ADD_OR_PROMOTE_TO_FOLLOWER, members);
        } else if (voters.containsAll(wanted)) {
            removeLast(report, voters, members);
        } else {
            pause();
        }
    }

    /** An unwanted learner, or an unwanted voter that has been silent for long. */
    private @Nullable RaftEndpoint unwantedFirst(RaftNodeReport report, RaftGroupMembers members) {
        Collection<RaftEndpoint> voters = members.getVotingMembers();
        for (RaftEndpoint member : members.getMembers()) {
            if (!wanted.contains(member) && !voters.contains(member)) {
                return member;
            }
        }
        for (RaftEndpoint voter : voters) {
            if (!wanted.contains(voter) && isSilent(report, voter) && mostAnswer(report, without(voters, voter))) {
                return voter;
            }
        }
        return null;
    }

    /**
     * Returns whether most of some voters answer. Each step goes to such voters only: it counts as soon as the leader
     * has appended it, so one to others could neither be agreed on nor undone.
     */
    private boolean mostAnswer(RaftNodeReport report, Collection<RaftEndpoint> voters) {
        return 2 * voters.stream().filter(voter -> answers(report, voter)).count() > voters.size();
    }

    /** Returns whether a member has answered this leader, and not too long ago. */
    private boolean answers(RaftNodeReport report, RaftEndpoint member) {
        // A new leader considers all members heard at its election, and does not know their logs.
        return member.equals(new RaftMember(self))
                || (!isSilent(report, member)
                        && report.getLog().getFollowerMatchIndices().getOrDefault(member, 0L) > 0);
    }

    private boolean isSilent(RaftNodeReport report, RaftEndpoint member) {
        if (member.equals(new RaftMember(self))) {
            return false;
        }
        Long heard = report.getHeartbeatTimestamps().get(member);
        return heard == null || lane.clock().millis() - heard >= silenceMillis;
    }

    private static List<RaftEndpoint> without(Collection<RaftEndpoint> voters, RaftEndpoint one) {
        return voters.stream().filter(voter -> !voter.equals(one)).toList();
    }

    private @Nullable RaftEndpoint caughtUp(RaftNodeReport report, RaftGroupMembers members) {
        Collection<RaftEndpoint> voters = members.getVotingMembers();
        Map<RaftEndpoint, Long> reached = report.getLog().getFollowerMatchIndices();
        for (RaftEndpoint member : members.getMembers()) {
            if (wanted.contains(member)
                    && !voters.contains(member)
                    && reached.getOrDefault(member, 0L) >= report.getLog().getCommitIndex()) {
                List<RaftEndpoint> more = new ArrayList<>(voters);
                more.add(member);
                return mostAnswer(report, more) ? member : null;
            }
        }
        return null;
    }

    private void removeLast(RaftNodeReport report, Collection<RaftEndpoint> voters, RaftGroupMembers members) {
        RaftEndpoint me = new RaftMember(self);
        for (RaftEndpoint voter : voters) {
            if (!wanted.contains(voter) && !voter.equals(me) && mostAnswer(report, without(voters, voter))) {
                change(voter, MembershipChangeMode.REMOVE_MEMBER, members);
                return;
            }
        }
        if (wanted.containsAll(without(voters, me))) {
            for (RaftEndpoint heir : wanted) {
                if (answers(report, heir)) {
                    lane.directly(() -> raft.transferLeadership(heir));
                    break;
                }
            }
        }
        pause();
    }

    private void change(RaftEndpoint member, MembershipChangeMode mode, RaftGroupMembers members) {
        if (!call.begin()) {
            return;
        }
        lane.directly(() -> raft.changeMembership(member, mode, members.getLogIndex())
                .whenComplete((changed, failure) -> changed(member, failure)));
    }

    private void changed(RaftEndpoint member, @Nullable Throwable failure) {
        Throwable why =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (why == null) {
            lane.submit(this::step);
        } else if (why instanceof NotLeaderException refused) {
            RaftEndpoint leader = refused.getLeader();
            call.fail(
                    Outcome.NOT_LEADER,
                    "this member does not lead any more",
                    leader == null ? null : ((RaftMember) leader).ref());
        } else if (why instanceof IndeterminateStateException) {
            call.end("this member does not lead any more");
        } else if (why instanceof IllegalArgumentException) {
            // MicroRaft takes no member of the first list back; the others were checked.
            call.fail(
                    Outcome.NOT_SENT,
                    member.getId() + " was a member at the formation, and a removed member never returns: let the node"
                            + " join again with an empty directory, as another incarnation",
                    null);
        } else {
            pause();
        }
    }

    private void pause() {
        lane.schedule(this::step, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }
}
