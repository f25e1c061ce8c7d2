package io.dht4j.core.internal.membership.driver;

import io.dht4j.core.internal.membership.state.Batch;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.wire.MembershipReply.Reported;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** For how long a driver has seen batches complete and members removed, since it leads. Not thread-safe. */
final class ObservedTimes {

    private final Duration versionSlotRest;
    private final Map<Long, Long> completeSince = new HashMap<>();
    private final Map<Integer, Long> removedSince = new HashMap<>();

    /**
     * Creates times of a driver that has seen nothing.
     *
     * @param versionSlotRest how long the version slot of a removed member is not used again
     */
    ObservedTimes(Duration versionSlotRest) {
        this.versionSlotRest = versionSlotRest;
    }

    /**
     * Returns for how long each complete batch may have waited for snapshots: since the first round that has found it
     * complete, approximately since its first snapshot.
     */
    Map<Long, Duration> snapshotWaits(ClusterState state, Map<Integer, Reported> reports, long nowNanos) {
        completeSince.keySet().removeIf(id -> state.batch(id).isEmpty());
        Map<Long, Duration> waits = new HashMap<>();
        for (Batch batch : state.batches()) {
            if (BatchDecisions.isComplete(batch, reports)) {
                long since = completeSince.computeIfAbsent(batch.id(), id -> nowNanos);
                waits.put(batch.id(), Duration.ofNanos(nowNanos - since));
            }
        }
        return waits;
    }

    /** Returns the removed members whose version slots may be used again. */
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
        completeSince.clear();
        removedSince.clear();
    }
}
