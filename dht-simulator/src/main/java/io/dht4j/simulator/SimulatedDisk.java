package io.dht4j.simulator;

import io.dht4j.Key;
import io.dht4j.spi.Entry;
import io.dht4j.spi.RefillMarker;
import io.dht4j.spi.StoreException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * A file of records on a disk that forgets what was not synced when the power goes, may be full, may fail in the middle
 * of a write, and may be replaced by an empty one, which must be refilled then. Confined to the simulation's thread.
 */
final class SimulatedDisk implements RefillMarker {

    private final SplittableRandom random;
    private final List<Entry> records = new ArrayList<>();
    /** What has been purged of each key. */
    private final Map<Key, List<Purged>> purged = new HashMap<>();

    private final Map<String, byte[]> notes = new HashMap<>();
    /** What was on the disks that this one has replaced. */
    private final List<Entry> lost = new ArrayList<>();
    /** The partitions that are to be refilled; empty if all are. */
    private Optional<BitSet> pending = Optional.of(new BitSet());

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
        entries.forEach(entry ->
                purged.computeIfAbsent(entry.key(), key -> new ArrayList<>()).add(new Purged(entry, records.size())));
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

    /** Replaces the disk by an empty one. */
    void replace() {
        lost.addAll(records);
        records.clear();
        purged.clear();
        notes.clear();
        synced = 0;
        full = false;
        failing = false;
        pending = Optional.empty();
    }

    @Override
    public BitSet pending(int partitions) {
        return pending.map(some -> (BitSet) some.clone())
                .orElseGet(() -> RefillMarker.everything().pending(partitions));
    }

    @Override
    public void keep(BitSet left) {
        if (full) {
            throw new StoreException("no space left on the simulated disk");
        }
        pending = Optional.of((BitSet) left.clone());
    }

    /** Whether everything is on it that ever was. */
    boolean isWhole() {
        return pending.filter(BitSet::isEmpty).isPresent();
    }

    /** What has ever been written, but for what was lost before it was synced. */
    Stream<Entry> everKept() {
        return Stream.concat(lost.stream(), records.stream());
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
