package io.dht4j.core.internal.membership.driver;

import io.dht4j.core.internal.membership.Remedies;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.plan.BatchSchedule;
import io.dht4j.core.internal.membership.plan.Plan;
import io.dht4j.core.internal.membership.plan.PlannedBatch;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.wire.MembershipReply.Reported;
import java.util.List;
import java.util.Optional;

/** Decides when batches begin, and when members change from joining to serving and from leaving to removed. */
final class MemberDecisions {

    private final Observation seen;
    private final ClusterState state;
    private final List<Wait> waits;
    private final int[] loads;
    private final GrowthFence fence;

    MemberDecisions(Observation seen, List<Wait> waits) {
        this.seen = seen;
        this.state = seen.state();
        this.waits = waits;
        this.loads = state.loads();
        this.fence = new GrowthFence(seen);
    }

    /** Returns the command that begins the first planned batch whose heir and owner are free, and answer. */
    Optional<Command> begin() {
        seen.planIn()
                .ifPresent(left -> waits.add(Wait.ofCluster("further changes of members for " + left.toSeconds()
                        + " s before partitions move; " + Remedies.RESUME + " begins at once")));
        Plan plan = seen.plan().orElse(null);
        if (plan == null) {
            return Optional.empty();
        }
        if (plan.unplaced() > 0) {
            waits.add(Wait.ofCluster(plan.unplaced()
                    + " replicas, of leaving or dead nodes or not made yet, have no other node: add nodes"));
        }
        if (state.rebalance().paused()) {
            if (!plan.isEmpty()) {
                waits.add(Wait.ofCluster(Waits.PAUSED + "; " + plan.moves() + " partitions are to move"));
            }
            return Optional.empty();
        }
        MoveSizes sizes = new MoveSizes(state, seen.reports());
        List<PlannedBatch> next = BatchSchedule.next(state, plan, fence::mayGrow, planned -> mayBegin(planned, sizes));
        if (!next.isEmpty()) {
            return Optional.of(start(next.get(0)));
        }
        fence.waitsFor(plan).ifPresent(text -> waits.add(Wait.ofCluster(text)));
        return Optional.empty();
    }

    /** Returns whether the heir of a batch has disk space, and heir and owner answer; a dead owner need not. */
    private boolean mayBegin(PlannedBatch planned, MoveSizes sizes) {
        Member owner = seen.member(planned.from());
        Member heir = seen.member(planned.to());
        int slots = planned.partitions().cardinality();
        Optional<String> lacking = sizes.lackedBy(planned);
        if (lacking.isPresent()) {
            waits.add(Wait.of(heir, "room for " + slots + " partitions: " + lacking.get()));
            return false;
        }
        if (owner.lifecycle().isPresent() && !seen.answers(planned.from())) {
            waits.add(Wait.of(
                    owner,
                    seen.silent(planned.from()) + ": " + slots
                            + " partitions are to move from it. If it never returns, "
                            + Remedies.replace(owner.name())));
            return false;
        }
        if (!seen.answers(planned.to())) {
            waits.add(Wait.of(
                    heir,
                    seen.silent(planned.to()) + ": " + slots
                            + " partitions are to move to it. If it never returns, "
                            + Remedies.remove(heir.name())));
            return false;
        }
        return true;
    }

    private Command start(PlannedBatch planned) {
        return planned.isGrowth()
                ? new Command.StartGrow(state.epoch(), planned.from(), planned.to(), planned.partitions())
                : new Command.StartBatch(state.epoch(), planned.from(), planned.to(), planned.partitions());
    }

    /** Returns the next change of a member's lifecycle. */
    Optional<Command> lifecycle() {
        for (Member member : state.members().all()) {
            Optional<Command> command = next(member);
            if (command.isPresent()) {
                return command;
            }
        }
        return Optional.empty();
    }

    /** Checks all members, to collect what they wait for. */
    void lookAtAll() {
        begin();
        state.members().all().forEach(this::next);
    }

    private Optional<Command> next(Member member) {
        return switch (member.lifecycle()) {
            case JOINING -> serve(member);
            case LEAVING, DEAD -> remove(member);
            case REMOVED -> release(member);
            case ADMITTED, SERVING -> Optional.empty();
        };
    }

    private Optional<Command> serve(Member member) {
        int number = member.number();
        boolean more = seen.plan().map(plan -> plan.incoming(number) > 0).orElse(true);
        if (more || takesPartIn(number)) {
            return Optional.empty();
        }
        if (!seen.answers(number)) {
            waits.add(Wait.of(member, seen.silent(number)));
            return Optional.empty();
        }
        return Optional.of(new Command.Serve(state.epoch(), number));
    }

    private boolean takesPartIn(int member) {
        return state.batches().stream().anyMatch(batch -> batch.to() == member || batch.from() == member);
    }

    private Optional<Command> remove(Member member) {
        int number = member.number();
        int moving = state.batches().stream()
                .filter(batch -> batch.from() == number)
                .mapToInt(batch -> batch.partitions().cardinality())
                .sum();
        if (loads[number] > 0 || takesPartIn(number)) {
            waits.add(Wait.of(
                    member,
                    Math.max(loads[number], moving) + " partitions to move to other nodes, " + moving + " under way"));
            return Optional.empty();
        }
        if (!new VoterDecisions(seen, waits).isOut(member)) {
            waits.add(Wait.of(member, "another voter to take its place"));
            return Optional.empty();
        }
        if (member.lifecycle() == Lifecycle.LEAVING && !isDrained(member)) {
            return Optional.empty();
        }
        if (member.lifecycle() == Lifecycle.DEAD && !isReplaced(member)) {
            // A node of its name may still join with an empty directory, admitted by the same operator.
            waits.add(Wait.of(
                    member,
                    member.name() + " with an empty data directory and Membership.join; or "
                            + Remedies.remove(member.name())));
            return Optional.empty();
        }
        return Optional.of(new Command.Remove(state.epoch(), number));
    }

    private boolean isReplaced(Member member) {
        return state.members()
                .named(member.name())
                .filter(named -> named.number() != member.number())
                .isPresent();
    }

    private boolean isDrained(Member member) {
        Optional<Reported> report = seen.report(member.number());
        if (report.isEmpty()) {
            waits.add(Wait.of(
                    member,
                    seen.silent(member.number()) + ", to deliver its hints. If it never returns, "
                            + Remedies.replace(member.name())));
            return false;
        }
        if (report.get().epoch() < state.epoch()) {
            // It may not know that it leaves, and writes with rows that it has left may still create hints.
            waits.add(Wait.of(member, seen.behind(report.get(), member.number(), state.epoch())));
            return false;
        }
        if (report.get().hintBytes() > 0) {
            waits.add(Wait.of(
                    member, member.name() + " to deliver " + report.get().hintBytes() + " bytes of hints"));
            return false;
        }
        return true;
    }

    private Optional<Command> release(Member member) {
        return member.versionSlot() != Member.NO_VERSION_SLOT
                        && seen.releasable().contains(member.number())
                ? Optional.of(new Command.ReleaseVersionSlot(state.epoch(), member.number()))
                : Optional.empty();
    }
}
