package io.dht4j.testkit.simulator;

import io.dht4j.spi.Entry;
import io.dht4j.spi.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A file of records on a disk that forgets what was not synced when the power goes, may be full, and may fail in the middle of a write.
 * Confined to the simulation's thread.
 */
final class SimulatedDisk {

    private final SplittableRandom random;
    private final List<Entry> records = new ArrayList<>();
    private int synced;
    private boolean full;
    private boolean failing;

    SimulatedDisk(SplittableRandom random) {
        this.random = random;
    }

    /** Whether the disk has no room for more from now on. */
    void setFull(boolean full) {
        this.full = full;
    }

    /** Lets the next write fail when a part of it is on the disk. */
    void failNextWrite() {
        failing = true;
    }

    void append(List<Entry> entries) {
        if (full) {
            throw new StoreException("no space left on the simulated disk");
        }
        if (failing) {
            failing = false;
            records.addAll(entries.subList(0, random.nextInt(entries.size() + 1)));
            throw new StoreException("the simulated disk failed in the middle of a write");
        }
        records.addAll(entries);
    }

    void sync() {
        synced = records.size();
    }

    /** Loses power: of what was not synced, a part is there afterwards, or all of it, or nothing. */
    void losePower() {
        int kept = synced + random.nextInt(records.size() - synced + 1);
        records.subList(kept, records.size()).clear();
        synced = kept;
    }

    /** What a program finds that opens the file. */
    List<Entry> records() {
        return List.copyOf(records);
    }
}
