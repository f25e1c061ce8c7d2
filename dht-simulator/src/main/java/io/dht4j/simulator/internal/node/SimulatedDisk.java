package io.dht4j.simulator.internal.node;

import io.dht4j.Key;
import io.dht4j.spi.Entry;
import io.dht4j.spi.RefillMarker;
import io.dht4j.spi.StoreException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A file of records on a simulated disk. The disk loses unsynced records at a power failure, may be full, and may fail
 * in the middle of a write. It may be replaced by an empty disk, which must be refilled. Confined to the simulation's
 * thread.
 */
public final class SimulatedDisk implements RefillMarker {

    /** The name of the note of a node's identity, and that of the newest state that it has installed. */
    private static final String IDENTITY = "node-identity";

    private static final String STATE = "cluster-state";
    /** The version of the format and the sum of a note. */
    private static final int NOTE_HEAD_BYTES = 1 + Integer.BYTES;

    private final String name;
    private final SplittableRandom random;
    private final List<Entry> records = new ArrayList<>();
    /** The purged entries of each key. */
    private final Map<Key, List<Purged>> purged = new HashMap<>();

    /** The number of records when all records of a key were removed. */
    private final Map<Key, Integer> dropped = new HashMap<>();

    private final Map<String, byte[]> notes = new HashMap<>();
    /** The records of replaced disks. */
    private final List<Entry> gone = new ArrayList<>();
    /** The partitions that must be refilled; empty if all must. */
    private Optional<BitSet> pending = Optional.of(new BitSet());

    private Optional<String> bound = Optional.empty();
    /** Receives the agreed state of each note of one. */
    private Consumer<byte[]> states = note -> {};

    private int synced;
    private boolean lost;
    private boolean full;
    private boolean failing;

    /** A purged entry, with the number of records at that time. */
    private record Purged(Entry entry, int records) {}

    /**
     * Creates an empty disk.
     *
     * @param name for messages
     */
    public SimulatedDisk(String name, SplittableRandom random) {
        this.name = name;
        this.random = random;
    }

    @Override
    public String toString() {
        return name;
    }

    /** Sets whether the disk has no room for more records. */
    public void setFull(boolean full) {
        this.full = full;
    }

    /** Ends all faults of the disk. */
    public void mend() {
        full = false;
        failing = false;
    }

    /** Makes the next write fail after a part of it has been written. */
    public void failNextWrite() {
        failing = true;
    }

    public void append(List<Entry> entries) {
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

    public void sync() {
        synced = records.size();
    }

    /** Loses power: a random part of the unsynced records survives, possibly all or none. */
    public void losePower() {
        int kept = synced + random.nextInt(records.size() - synced + 1);
        records.subList(kept, records.size()).clear();
        synced = kept;
    }

    /** Purges entries. The purge and all earlier writes are durable immediately. */
    public void purge(List<Entry> entries) {
        if (full) {
            throw new StoreException("no space left on the simulated disk");
        }
        entries.forEach(entry ->
                purged.computeIfAbsent(entry.key(), key -> new ArrayList<>()).add(new Purged(entry, records.size())));
        sync();
    }

    /** Removes all records of some keys. The removal and all earlier writes are durable immediately. */
    public void drop(Predicate<Key> keys) {
        if (full) {
            throw new StoreException("no space left on the simulated disk");
        }
        records.stream().map(Entry::key).distinct().filter(keys).forEach(key -> dropped.put(key, records.size()));
        sync();
    }

    private boolean isDropped(int record) {
        return dropped.getOrDefault(records.get(record).key(), 0) > record;
    }

    /** Replaces a small file, durably and immediately. */
    public void keepNote(String name, byte[] bytes) {
        if (full) {
            throw new StoreException("no space left on the simulated disk");
        }
        notes.put(name, bytes.clone());
        if (name.equals(STATE)) {
            states.accept(bytes);
        }
    }

    /**
     * Binds the disk to a description of its content.
     *
     * @throws StoreException if it is bound to another one
     */
    public void bind(String description) {
        if (bound.isPresent() && !bound.get().equals(description)) {
            throw new StoreException("the disk is bound to \"" + bound.get() + "\", not to \"" + description + "\"");
        }
        bound = Optional.of(description);
    }

    public Optional<byte[]> note(String name) {
        return Optional.ofNullable(notes.get(name)).map(byte[]::clone);
    }

    /** Replaces the disk by an empty one. */
    public void replace() {
        gone.addAll(records);
        records.clear();
        purged.clear();
        dropped.clear();
        notes.clear();
        bound = Optional.empty();
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

    /** Returns whether no partition must be refilled. */
    public boolean isWhole() {
        return pending.filter(BitSet::isEmpty).isPresent();
    }

    /** Returns all records ever written, without those lost before they were synced. */
    public Stream<Entry> everKept() {
        return Stream.concat(gone.stream(), records.stream());
    }

    /** Lets a listener receive each note of an agreed state. */
    public void listen(Consumer<byte[]> listener) {
        states = listener;
    }

    /** Loses the disk permanently: its content is no longer readable. */
    public void lose() {
        lost = true;
    }

    /** Returns whether the disk was lost permanently. */
    public boolean isLost() {
        return lost;
    }

    /** Returns the identity that the node has stored on this disk; empty if it has not. */
    public Optional<UUID> incarnation() {
        return note(IDENTITY).map(note -> {
            ByteBuffer in = ByteBuffer.wrap(note).position(NOTE_HEAD_BYTES);
            return new UUID(in.getLong(), in.getLong());
        });
    }

    /** Returns whether the disk has an entry, or one that supersedes it, or has purged one. */
    public boolean hasAtLeast(Entry entry) {
        for (int i = records.size() - 1; i >= 0; i--) {
            Entry record = records.get(i);
            if (record.key().equals(entry.key()) && !entry.supersedes(record)) {
                return !isDropped(i);
            }
        }
        return false;
    }

    /** Returns the records of the file, without those purged or dropped since they were written. */
    public List<Entry> content() {
        List<Entry> content = new ArrayList<>();
        for (int i = 0; i < records.size(); i++) {
            Entry entry = records.get(i);
            int written = i;
            boolean gone = purged.getOrDefault(entry.key(), List.of()).stream()
                    .anyMatch(each -> each.records() > written && !entry.supersedes(each.entry()));
            if (!gone && !isDropped(i)) {
                content.add(entry);
            }
        }
        return content;
    }
}
