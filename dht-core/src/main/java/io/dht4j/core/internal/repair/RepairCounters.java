package io.dht4j.core.internal.repair;

import io.dht4j.NodeId;
import io.dht4j.RepairStatus;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.spi.Entry;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Counts the work of repair sessions. Safe for use by any number of threads. */
public final class RepairCounters {

    private final NodeId self;

    // Guarded by this.
    private boolean running;
    private int partitions;
    private int partitionsDone;
    private long sessions;
    private long sent;
    private long received;
    private long refilled;
    private long refused;
    private long purged;
    private Optional<String> refusal = Optional.empty();
    private Optional<String> lastError = Optional.empty();
    /** The reason why the hash trees cannot be built, so that no session can begin. */
    private Optional<String> buildError = Optional.empty();

    private final Map<Integer, Instant> completed = new HashMap<>();

    public RepairCounters(NodeId self) {
        this.self = self;
    }

    public synchronized void sessionBegan(int count) {
        running = true;
        partitions = count;
        partitionsDone = 0;
        refusal = Optional.empty();
    }

    public synchronized void sent(List<Entry> entries) {
        sent += entries.size();
    }

    /** Counts received entries; some of them were for partitions that must be repaired before they are read. */
    public synchronized void received(List<Entry> entries, long ofThemRefilled) {
        received += entries.size();
        refilled += ofThemRefilled;
    }

    public synchronized long refilled() {
        return refilled;
    }

    public synchronized void refused(int count, String why) {
        refused += count;
        refusal = Optional.of(why);
    }

    public synchronized void purged(long count) {
        purged += count;
    }

    /** Counts partitions whose replicas have all been compared. */
    public synchronized void completed(PartitionSet done, long nowMillis) {
        partitionsDone += done.cardinality();
        Instant now = Instant.ofEpochMilli(nowMillis);
        done.forEach(partition -> completed.put(partition, now));
    }

    /** Forgets the comparison times of partitions that this node no longer replicates. */
    public synchronized void retain(PartitionSet held) {
        completed.keySet().removeIf(partition -> !held.contains(partition));
    }

    /** Records why the last build of the hash trees failed; empty after a success. */
    public synchronized void buildFailed(Optional<String> why) {
        buildError = why.map(message -> "this node cannot build its hash trees, and tries again and again: " + message);
    }

    public synchronized void sessionEnded(Optional<String> error) {
        running = false;
        sessions++;
        lastError = error.or(() -> refusal);
    }

    public synchronized RepairStatus status(boolean waiting) {
        return new RepairStatus(
                self,
                running || waiting,
                partitions,
                partitionsDone,
                sessions,
                sent,
                received,
                refused,
                purged,
                buildError.or(() -> lastError),
                buildError.isPresent(),
                completed);
    }
}
