package io.dht4j.core.internal.membership.driver;

import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.wire.MembershipReply.Reported;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Measures how long batches have waited for snapshots and members have been removed, since this driver leads. Not
 * thread-safe.
 */
final class ObservedTimes {

    private final Duration versionSlotRest;
    private final Map<Long, Long> waitingSince = new HashMap<>();
    private final Map<Integer, Long> removedSince = new HashMap<>();

    /**
     * Creates the times of a new driver.
     *
     * @param versionSlotRest how long the version slot of a removed member stays reserved
     */
    ObservedTimes(Duration versionSlotRest) {
        this.versionSlotRest = versionSlotRest;
    }

    /**
     * Returns how long batches have waited for snapshots: since the first round that has found a batch complete, with
     * snapshots at its owner, and moves not paused.
     */
    Map<Long, Duration> snapshotWaits(ClusterState state, Map<Integer, Reported> reports, long nowNanos) {
        waitingSince.keySet().removeIf(id -> state.batch(id).isEmpty());
        Map<Long, Duration> waits = new HashMap<>();
        for (Batch batch : state.batches()) {
            Reported owner = reports.get(batch.from());
            if (state.rebalance().paused() || owner == null || owner.openSnapshots() == 0) {
                waitingSince.remove(batch.id());
            } else if (BatchDecisions.isComplete(batch, reports)) {
                long since = waitingSince.computeIfAbsent(batch.id(), id -> nowNanos);
                waits.put(batch.id(), Duration.ofNanos(nowNanos - since));
            }
        }
        return waits;
    }

    /** Returns the removed members whose version slots may be released. */
    Set<Integer> releasable(ClusterState state, long nowNanos) {
        Set<Integer> result = new LinkedHashSet<>();
        for (Member member : state.members().all()) {
            if (member.lifecycle() == Lifecycle.REMOVED && member.versionSlot() != Member.NO_VERSION_SLOT) {
                long since = removedSince.computeIfAbsent(member.number(), number -> nowNanos);
                if (nowNanos - since >= versionSlotRest.toNanos()) {
                    result.add(member.number());
                }
            }
        }
        return result;
    }

    /** Forgets everything, since another node drives. */
    void reset() {
        waitingSince.clear();
        removedSince.clear();
    }
}
