package io.dht4j.core.internal.membership.driver;

import io.dht4j.core.internal.membership.plan.Plan;
import io.dht4j.core.internal.membership.plan.PlannedBatch;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.view.Batch;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides when the driver plans, and keeps the rest of its plan. Changes of members within {@link #DELAY} are planned
 * together. A restart of a node changes no member, so it causes no plan. Not thread-safe.
 *
 * <p>A plan is needed while a member joins, slots are vacant, or a leaving or dead member owns slots. It is also needed
 * after a change of weights or zones or a cancelled leave that this driver has observed, and on {@linkplain #demand
 * demand}.
 */
final class Planning {

    /** How long members must be unchanged. */
    static final Duration DELAY = Duration.ofSeconds(60);

    /** The input of a plan: the members that take slots. */
    private record Trait(int number, int weight, String zone) {}

    private List<Trait> traits = List.of();
    private long changedNanos;
    private boolean demanded;
    /** Whether a leave was cancelled: the member may have given most of its slots away. */
    private boolean stays;

    private @Nullable Plan plan;
    private long plannedEpoch;

    /**
     * The rest of the plan in the state of an epoch, cached: a plan may contain all partitions, and each round uses it.
     */
    private @Nullable Plan left;

    private long leftEpoch;

    private static List<Trait> traits(ClusterState state) {
        return state.members()
                .takers()
                .map(member -> new Trait(
                        member.number(),
                        member.details().weight(),
                        member.details().zone()))
                .toList();
    }

    /** Observes a state. */
    void observe(ClusterState state, long nowNanos) {
        List<Trait> now = traits(state);
        if (!now.equals(traits)) {
            boolean first = traits.isEmpty();
            if (!first && isOtherwiseSame(now)) {
                demanded = true;
            }
            stays |= !first && hasStayed(now, state);
            // Batches that another driver has begun: its plan had waited.
            changedNanos = first && !state.batches().isEmpty() ? nowNanos - DELAY.toNanos() : nowNanos;
            traits = now;
            plan = null;
        }
        if (plan != null && left(plan, state).isEmpty() && plannedEpoch == state.epoch()) {
            demanded = false;
            stays = false;
        }
    }

    /** Returns whether a serving member takes slots but took none before. New members are joining at first. */
    private boolean hasStayed(List<Trait> now, ClusterState state) {
        return now.stream()
                .map(Trait::number)
                .filter(number -> traits.stream().noneMatch(trait -> trait.number() == number))
                .anyMatch(number -> state.members().get(number).lifecycle() == Lifecycle.SERVING);
    }

    /** Returns whether the same members have other weights or zones. */
    private boolean isOtherwiseSame(List<Trait> now) {
        return now.stream()
                .map(Trait::number)
                .toList()
                .equals(traits.stream().map(Trait::number).toList());
    }

    /** Plans at once, also if no member has changed. */
    void demand() {
        demanded = true;
        drop();
    }

    /** Plans again. A plan assumes that the running batches are finished, and growths follow each other. */
    void drop() {
        plan = null;
    }

    private boolean isNeeded(ClusterState state) {
        if (demanded || stays || state.slots().hasVacant()) {
            return true;
        }
        int[] loads = state.loads();
        for (Member member : state.members().all()) {
            boolean goes = member.lifecycle() == Lifecycle.LEAVING || member.lifecycle() == Lifecycle.DEAD;
            if (member.lifecycle() == Lifecycle.JOINING || (goes && loads[member.number()] > 0)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether a plan is needed only to find that joining members get no further slots, for example a member
     * that replaces a lost one. They should serve, and vote, once no slot moves.
     */
    private boolean haveSlots(ClusterState state) {
        int[] loads = state.loads();
        return !stays
                && !state.slots().hasVacant()
                && state.members().all().stream().allMatch(member -> switch (member.lifecycle()) {
                    case JOINING -> loads[member.number()] > 0;
                    case LEAVING, DEAD -> loads[member.number()] == 0;
                    case ADMITTED, SERVING, REMOVED -> true;
                });
    }

    private Duration delay(ClusterState state, long nowNanos) {
        boolean isUrgent = demanded || (state.batches().isEmpty() && haveSlots(state));
        Duration left = isUrgent ? Duration.ZERO : DELAY.minusNanos(nowNanos - changedNanos);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Returns the time until planning begins, if it is needed, must wait, and will probably move slots. */
    Optional<Duration> startsIn(ClusterState state, long nowNanos) {
        if (plan != null || !isNeeded(state) || haveSlots(state)) {
            return Optional.empty();
        }
        Duration left = delay(state, nowNanos);
        return left.isZero() ? Optional.empty() : Optional.of(left);
    }

    /** Returns whether planning for a state is due now. */
    boolean isDue(ClusterState state, long nowNanos) {
        boolean exhausted = plan == null || (left(plan, state).isEmpty() && plannedEpoch != state.epoch());
        return exhausted && isNeeded(state) && delay(state, nowNanos).isZero();
    }

    /** Follows a plan from now on. */
    void follow(Plan made, ClusterState state) {
        plan = made;
        plannedEpoch = state.epoch();
        left = null;
    }

    /** Returns the rest of the plan; empty if there is none. */
    Optional<Plan> plan(ClusterState state) {
        return Optional.ofNullable(plan).map(made -> left(made, state));
    }

    private Plan left(Plan made, ClusterState state) {
        Plan known = left;
        if (known == null || leftEpoch != state.epoch()) {
            known = leftOf(made, state);
            left = known;
            leftEpoch = state.epoch();
        }
        return known;
    }

    /** Returns a plan without the moves that are done or running. */
    private static Plan leftOf(Plan plan, ClusterState state) {
        List<PlannedBatch> batches = plan.batches().stream()
                .map(batch -> batch.of(batch.partitions().filter(partition -> isLeft(state, partition, batch))))
                .filter(batch -> !batch.partitions().isEmpty())
                .toList();
        return new Plan(batches, plan.unplaced(), plan.work());
    }

    private static boolean isLeft(ClusterState state, int partition, PlannedBatch planned) {
        if (planned.isGrowth()) {
            return state.width(partition) <= planned.added()
                    && planned.added() < state.replicationFactor()
                    && !state.involves(partition, planned.to());
        }
        if (state.slots().slotOf(partition, planned.from()) < 0 || state.slots().slotOf(partition, planned.to()) >= 0) {
            return false;
        }
        Optional<Batch> moving = state.batchOf(partition);
        return moving.isEmpty()
                || moving.get().from() != planned.from()
                || moving.get().to() != planned.to();
    }

    /** Forgets everything, since another node drives. */
    void reset() {
        traits = List.of();
        demanded = false;
        stays = false;
        plan = null;
    }
}
