package io.dht4j.core.internal.membership.driver;

import io.dht4j.core.internal.membership.plan.Plan;
import io.dht4j.core.internal.membership.plan.PlannedBatch;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.BatchProgress;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.wire.MembershipReply.Reported;
import io.dht4j.spi.StoreSpace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Estimates the bytes of moving slots from the size of their owner's store, and compares them with the free space of
 * their heirs. Members without a report are not compared. Immutable.
 */
public final class MoveSizes {

    /** Until its compaction, a store may need half as much again as its entries. */
    private static final double ROOM_OF_ENTRIES = 1.5;

    private static final Set<Phase> RECEIVING = Set.of(Phase.COPY, Phase.FILL, Phase.GROW);

    private static final long MIB = 1L << 20;

    private final ClusterState state;
    private final Map<Integer, Reported> reports;
    /** The slots that each member holds completely, by its number. */
    private final int[] complete;

    /**
     * Estimates by a state.
     *
     * @param state the agreed state
     * @param reports the reports of the members that have answered, by their numbers
     */
    public MoveSizes(ClusterState state, Map<Integer, Reported> reports) {
        this.state = state;
        this.reports = Map.copyOf(reports);
        this.complete = state.loads();
        for (Batch batch : state.batches()) {
            complete[batch.to()] -= batch.partitions().cardinality();
        }
    }

    /**
     * Returns the total bytes of a running batch.
     *
     * @param batch the batch
     * @return an estimate; 0 without reports
     */
    public long bytesOf(Batch batch) {
        return bytesOf(batch.from(), batch.partitions().cardinality());
    }

    /** Returns the bytes of some slots of a member, or of an average member if it has not reported. */
    private long bytesOf(int member, int slots) {
        double each = bytesOfSlot(member);
        if (each == 0) {
            each = reports.keySet().stream()
                    .mapToDouble(this::bytesOfSlot)
                    .filter(bytes -> bytes > 0)
                    .average()
                    .orElse(0);
        }
        return (long) (each * slots);
    }

    private double bytesOfSlot(int member) {
        return complete[member] <= 0
                ? 0
                : space(member)
                        .map(space -> (double) space.usedBytes() / complete[member])
                        .orElse(0.0);
    }

    private Optional<StoreSpace> space(int member) {
        return Optional.ofNullable(reports.get(member)).flatMap(Reported::space);
    }

    /**
     * Returns the heirs of a plan without enough free space for the plan and the running batches.
     *
     * @param plan a plan for the state, or for a later one
     * @return a line for people for each heir, with its name, and the bytes that it would receive and has free
     */
    public List<String> withoutRoom(Plan plan) {
        List<String> lacking = new ArrayList<>();
        for (int heir = 1; heir < complete.length; heir++) {
            int number = heir;
            long planned = plan.batches().stream()
                    .filter(batch -> batch.to() == number)
                    .mapToLong(batch -> bytesOf(batch.from(), batch.partitions().cardinality()))
                    .sum();
            lacking(number, planned).ifPresent(lacking::add);
        }
        return lacking;
    }

    /**
     * Returns why a batch should not begin yet.
     *
     * @param planned the batch
     * @return the missing space of the heir, a line for people; empty if it has enough, or has not reported
     */
    Optional<String> lackedBy(PlannedBatch planned) {
        return lacking(
                planned.to(), bytesOf(planned.from(), planned.partitions().cardinality()));
    }

    private Optional<String> lacking(int heir, long bytes) {
        Optional<StoreSpace> space = space(heir);
        if (bytes == 0 || space.isEmpty()) {
            return Optional.empty();
        }
        long needed = (long) ((bytes + stillToCome(heir)) * ROOM_OF_ENTRIES);
        return needed <= space.get().freeBytes()
                ? Optional.empty()
                : Optional.of(state.members().get(heir).name() + " would need " + inWords(needed) + " and has "
                        + inWords(space.get().freeBytes()) + " free");
    }

    /** Returns the bytes that running batches will still add to a member. */
    private long stillToCome(int heir) {
        return state.batches().stream()
                .filter(batch -> batch.to() == heir && RECEIVING.contains(batch.phase()))
                .mapToLong(batch -> Math.max(0, bytesOf(batch) - copied(batch)))
                .sum();
    }

    private long copied(Batch batch) {
        return Optional.ofNullable(reports.get(batch.to())).stream()
                .flatMap(report -> report.batches().stream())
                .filter(progress -> progress.batch() == batch.id())
                .mapToLong(BatchProgress::copiedBytes)
                .sum();
    }

    private static String inWords(long bytes) {
        return bytes < 10 * MIB ? bytes + " bytes" : bytes / MIB + " MiB";
    }
}
