package io.dht4j.lab.workload;

import java.util.SplittableRandom;

/**
 * Generates the operations of a workload, one after another: {@link #next} advances, and the other methods describe the
 * present operation. The operations depend on the seed and the size of the {@link KeySpace} alone. Does not allocate.
 * Confined to one thread: each thread has a generator with a seed of its own.
 */
public final class OperationGenerator {

    private final KeySpace space;
    private final OperationMix.Chooser kinds;
    private final KeyChooser keys;
    private final SizeChooser sizes;
    private final SplittableRandom scans;
    private final int longestScan;

    private OperationKind kind = OperationKind.GET;
    private long key;
    private int valueBytes;
    private int scanLength;

    OperationGenerator(Workload workload, KeySpace space, long seed) {
        // Each choice has a sequence of its own, so a change of one leaves the others as they were.
        SplittableRandom seeds = new SplittableRandom(seed);
        this.space = space;
        this.kinds = workload.mix().chooser(seeds.split());
        this.keys = workload.keys().chooser(space, seeds.nextLong());
        this.sizes = workload.valueSizes().chooser(seeds.nextLong());
        this.scans = seeds.split();
        this.longestScan = workload.longestScan();
    }

    /**
     * Moves to the next operation. An insert begins here: its caller passes {@link #key} to {@link KeySpace#endInsert}
     * when it has ended.
     *
     * @return its kind
     */
    public OperationKind next() {
        draw();
        if (kind == OperationKind.INSERT) {
            key = space.beginInsert();
        }
        return kind;
    }

    /** Moves over an operation that its caller omits: the later ones are as if it had come, but no insert begins. */
    public void skip() {
        draw();
    }

    private void draw() {
        kind = kinds.next();
        key = keys.next();
        int bytes = sizes.next();
        int length = scans.nextInt(1, longestScan + 1);
        valueBytes = kind.writes() ? bytes : 0;
        scanLength = kind == OperationKind.SCAN ? length : 0;
    }

    /**
     * Returns the kind of the present operation.
     *
     * @return a get before the first call of {@link #next}
     */
    public OperationKind kind() {
        return kind;
    }

    /**
     * Returns the key of the present operation, for a scan the first one.
     *
     * @return its number, from 0
     */
    public long key() {
        return key;
    }

    /**
     * Returns the size of the value to write.
     *
     * @return bytes; 0 for operations that do not write
     */
    public int valueBytes() {
        return valueBytes;
    }

    /**
     * Returns how many keys to scan.
     *
     * @return 1 or more for a scan, otherwise 0
     */
    public int scanLength() {
        return scanLength;
    }
}
