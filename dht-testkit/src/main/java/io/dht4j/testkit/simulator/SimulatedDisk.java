package io.dht4j.testkit.simulator;

import io.dht4j.Key;
import io.dht4j.spi.Entry;
import io.dht4j.spi.StoreException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * A file of records on a disk that forgets what was not synced when the power goes, may be full, and may fail in the middle of a write.
 * Confined to the simulation's thread.
 */
final class SimulatedDisk {

    private final SplittableRandom random;
    private final List<Entry> records = new ArrayList<>();
    /** What has been purged of each key. */
    private final Map<Key, List<Purged>> purged = new HashMap<>();

    private final Map<String, byte[]> notes = new HashMap<>();
    private int synced;
    private boolean full;
    private boolean failing;

    /** An entry that was removed when there were so many records. */
    private record Purged(Entry entry, int records) {}

    SimulatedDisk(SplittableRandom random) {
        this.random = random;
    }

    /** Whether the disk has no room for more from now on. */
    void setFull(boolean full) {
        this.full = full;
    }

    /** Nothing is wrong with it any more. */
    void mend() {
        full = false;
        failing = false;
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

    /** Removes entries for good; it is on the disk at once, with what was written before. */
    void purge(List<Entry> entries) {
        if (full) {
            throw new StoreException("no space left on the simulated disk");
        }
        entries.forEach(entry -> purged.computeIfAbsent(entry.key(), key -> new ArrayList<>())
                .add(new Purged(entry, records.size())));
        sync();
    }

    /** Replaces a small file; it is on the disk at once. */
    void keepNote(String name, byte[] bytes) {
        if (full) {
            throw new StoreException("no space left on the simulated disk");
        }
        notes.put(name, bytes.clone());
    }

    Optional<byte[]> note(String name) {
        return Optional.ofNullable(notes.get(name)).map(byte[]::clone);
    }

    /** What has ever been written to the file, and was not lost. Shows what changes; not to be kept. */
    List<Entry> records() {
        return Collections.unmodifiableList(records);
    }

    /** What a program finds that opens the file: what was written and not purged since. */
    List<Entry> content() {
        List<Entry> content = new ArrayList<>();
        for (int i = 0; i < records.size(); i++) {
            Entry entry = records.get(i);
            int written = i;
            boolean gone = purged.getOrDefault(entry.key(), List.of()).stream()
                    .anyMatch(each -> each.records() > written && !entry.supersedes(each.entry()));
            if (!gone) {
                content.add(entry);
            }
        }
        return content;
    }
}
