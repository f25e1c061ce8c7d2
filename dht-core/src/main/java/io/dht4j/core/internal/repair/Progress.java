package io.dht4j.core.internal.repair;

import io.dht4j.NodeId;
import io.dht4j.RepairStatus;
import io.dht4j.spi.Entry;
import java.time.Instant;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Counts the work of repair. Safe for use by any number of threads. */
public final class Progress {

    private final NodeId self;

    // Guarded by this.
    private boolean running;
    private int partitions;
    private int partitionsDone;
    private long rounds;
    private long sent;
    private long received;
    private long refilled;
    private long refused;
    private long purged;
    private Optional<String> refusal = Optional.empty();
    private Optional<String> lastError = Optional.empty();
    /** Why the hash trees cannot be built, so that no session can begin. */
    private Optional<String> notAddedUp = Optional.empty();

    private final Map<Integer, Instant> completed = new HashMap<>();

    public Progress(NodeId self) {
        this.self = self;
    }

    public synchronized void began(int count) {
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

    /** Counts partitions all of whose replicas have been compared. */
    public synchronized void completed(BitSet done, long nowMillis) {
        partitionsDone += done.cardinality();
        Instant now = Instant.ofEpochMilli(nowMillis);
        done.stream().forEach(partition -> completed.put(partition, now));
    }

    public synchronized void notAddedUp(Optional<String> why) {
        notAddedUp =
                why.map(message -> "this node cannot add up what it holds, which is tried again and again: " + message);
    }

    public synchronized void ended(Optional<String> error) {
        running = false;
        rounds++;
        lastError = error.or(() -> refusal);
    }

    public synchronized RepairStatus status(boolean waiting) {
        return new RepairStatus(
                self,
                running || waiting,
                partitions,
                partitionsDone,
                rounds,
                sent,
                received,
                refused,
                purged,
                notAddedUp.or(() -> lastError),
                notAddedUp.isPresent(),
                completed);
    }
}
